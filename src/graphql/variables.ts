/** The variables of a request: the values that graphql-js makes of them, or what is wrong with each of them. */
import {
  coerceInputValue,
  getNullableType,
  getVariableValues,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableValues,
} from 'graphql'
import { isRounded } from '../base/int64.ts'
import { isJsonObject } from '../base/json.ts'
import { MAX_PROBLEMS, type Problem, ServiceError } from '../base/service-error.ts'
import type { DocumentOptions } from './documents/prepared-document.ts'
import type { Params } from './params.ts'
import { RequestErrors } from './request-errors.ts'
import { listValues, printName, printPath, type SentValue } from './sent-values.ts'

/**
 * Checks what holds for the variables of any document. JSON.parse has rounded a number beyond 2^53-1, so as an ID it would name a different item.
 * @throws ServiceError INVALID_REQUEST if they have too many values, INVALID_VALUE for a number that is not exact
 */
export function checkVariables(variables: Params['variables']): void {
  const rounded = listValues('variables', variables).filter(({ value }) => isRounded(value))
  if (rounded.length === 0) return
  const problems = rounded.slice(0, MAX_PROBLEMS).map((sent) => {
    const argument = printPath(sent)
    const message = `${argument} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`
    return { argument, message }
  })
  const message = problems.map(({ message }) => message).join(' ')
  throw new ServiceError('INVALID_VALUE', message, { problems })
}

/**
 * @param variables as sent by the client
 * @throws RequestErrors INVALID_VALUE that names all problems, ten at most
 */
export function readVariables(
  { schema, hidesNames }: Pick<DocumentOptions, 'schema' | 'hidesNames'>,
  operation: OperationDefinitionNode,
  variables: Params['variables'] = {},
): VariableValues {
  const { variableDefinitions = [] } = operation
  const { variableValues, errors } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: 1,
    hideSuggestions: hidesNames,
  })
  if (variableValues) return variableValues
  const finder = new ProblemFinder(hidesNames)
  // The definitions of the variables that have problems.
  const nodes = variableDefinitions.filter(({ variable, type: typeNode, defaultValue }) => {
    const { value: key } = variable.name
    const type = typeFromAST(schema, typeNode)
    const value = Object.hasOwn(variables, key) ? variables[key] : undefined
    if (!isInputType(type) || (value === undefined && defaultValue)) return false
    return finder.visit(type, { key, value, parent: null })
  })
  const { problems } = finder
  if (problems.length === 0) throw new RequestErrors(errors)
  const message = problems.map(({ message }) => message).join(' ')
  const cause = new ServiceError('INVALID_VALUE', message, { problems })
  throw new RequestErrors([new GraphQLError(message, { nodes, cause })])
}

/** Says in words of our own what is wrong with the values of variables. */
class ProblemFinder {
  /** At most MAX_PROBLEMS, in the order of the schema. */
  readonly problems: Problem[] = []
  readonly #hidesNames: boolean

  constructor(hidesNames: boolean) {
    this.#hidesNames = hidesNames
  }

  /** @param expected what the value must be, if that is more than its type says @returns whether there are problems */
  visit(type: GraphQLInputType, sent: SentValue, expected?: string): boolean {
    const before = this.problems.length
    if (before >= MAX_PROBLEMS) return false
    const { value } = sent
    const nullable = getNullableType(type)
    if (value === undefined) {
      if (isNonNullType(type)) this.#add(sent, `is required: ${this.#describe(nullable, expected)}.`)
    } else if (value === null) {
      if (isNonNullType(type)) this.#add(sent, 'must not be null.')
    } else if (isListType(nullable)) this.#visitItems(nullable, sent, expected)
    else if (isInputObjectType(nullable) && isJsonObject(value)) this.#visitFields(nullable, value, sent)
    else if (coerceInputValue(value, nullable) === undefined)
      this.#add(sent, `must be ${this.#describe(nullable, expected)}.`)
    return this.problems.length > before
  }

  #visitItems({ ofType }: GraphQLList<GraphQLInputType>, sent: SentValue, expected?: string): void {
    const { value } = sent
    // A value that is no list stands for a list of one.
    if (!Array.isArray(value)) this.visit(ofType, sent, expected)
    else
      for (const [key, item] of Object.entries(value))
        this.visit(ofType, { key, value: item, parent: sent }, expected)
  }

  #visitFields(type: GraphQLInputObjectType, values: Record<string, unknown>, parent: SentValue): void {
    const fields = type.getFields()
    const { checks } = type.extensions
    for (const [key, field] of Object.entries(fields)) {
      const expected = checks?.expected(key)
      if (!Object.hasOwn(values, key)) {
        if (isRequiredInputField(field)) this.visit(field.type, { key, value: undefined, parent }, expected)
        continue
      }
      const sent = { key, value: values[key], parent }
      if (this.visit(field.type, sent, expected)) continue
      const reason = checks?.findFault(key, sent.value)
      if (reason != null) this.#add(sent, `must be ${reason}.`)
    }
    const known = this.#hidesNames ? '' : `: it has ${Object.keys(fields).join(', ')}`
    for (const [key, value] of Object.entries(values))
      if (!Object.hasOwn(fields, key))
        this.#add({ key, value, parent }, `is no field of ${type.name}${known}.`)
  }

  #add(sent: SentValue, message: string): void {
    if (this.problems.length >= MAX_PROBLEMS) return
    this.problems.push({ argument: printPath(sent), message: `${printName(sent)} ${message}` })
  }

  /** @param expected what was declared with the field */
  #describe(type: GraphQLInputType, expected?: string): string {
    const nullable = getNullableType(type)
    if (expected !== undefined && !(this.#hidesNames && isEnumType(nullable))) return expected
    if (isListType(nullable)) return this.#describe(nullable.ofType)
    if (isInputObjectType(nullable)) return 'an object'
    if (!isEnumType(nullable)) return nullable.extensions.expected ?? EXPECTED[nullable.name] ?? nullable.name
    if (this.#hidesNames) return `a value of ${nullable.name}`
    return `one of ${nullable
      .getValues()
      .map(({ name }) => name)
      .join(', ')}`
  }
}

/** What the values of GraphQL's own scalars are. */
const EXPECTED: Readonly<Record<string, string>> = {
  Boolean: 'true or false',
  Float: 'a number',
  ID: 'a string or an integer',
  Int: 'an integer from -2147483648 to 2147483647',
  String: 'a string',
}
