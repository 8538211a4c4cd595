/** The values of the variables of an operation, coerced by graphql-js, or what is wrong with each of them. */
import {
  coerceInputValue,
  getNullableType,
  getVariableValues,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
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
import { isJsonObject } from '../base/json.ts'
import { MAX_PROBLEMS, type Problem, ServiceError } from '../base/service-error.ts'
import type { DocumentOptions } from './documents/prepared-document.ts'
import { RequestErrors } from './request-errors.ts'

/**
 * @param variables as sent by the client
 * @throws RequestErrors INVALID_VALUE that names all problems, ten at most
 */
export function readVariables(
  { schema, hidesNames }: Pick<DocumentOptions, 'schema' | 'hidesNames'>,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
): VariableValues {
  const { variableDefinitions = [] } = operation
  const { variableValues, errors } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: 1,
    hideSuggestions: hidesNames,
  })
  if (variableValues) return variableValues
  const finder = new ProblemFinder(hidesNames)
  const nodes = variableDefinitions.filter(({ variable, type: typeNode, defaultValue }) => {
    const { value: name } = variable.name
    const type = typeFromAST(schema, typeNode)
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (!isInputType(type) || (value === undefined && defaultValue)) return false
    return finder.visit(type, value, [name])
  })
  const { problems } = finder
  if (problems.length === 0) throw new RequestErrors(errors)
  const message = problems.map(({ message }) => message).join(' ')
  const cause = new ServiceError('INVALID_VALUE', message, { problems })
  throw new RequestErrors([new GraphQLError(message, { nodes, cause })])
}

/** The path to a value: the name of the variable, then keys and indexes. */
type Path = readonly (string | number)[]

/** Says in words of our own what is wrong with the values of variables. */
class ProblemFinder {
  /** At most MAX_PROBLEMS, in the order of the schema. */
  readonly problems: Problem[] = []
  readonly #hidesNames: boolean

  constructor(hidesNames: boolean) {
    this.#hidesNames = hidesNames
  }

  /** @param value undefined: absent @param expected what it must be, if that is more than its type says @returns whether there are problems */
  visit(type: GraphQLInputType, value: unknown, path: Path, expected?: string): boolean {
    const before = this.problems.length
    if (before >= MAX_PROBLEMS) return false
    const nullable = getNullableType(type)
    if (value === undefined) {
      if (isNonNullType(type)) this.#add(path, `is required: ${this.#describe(nullable, expected)}.`)
    } else if (value === null) {
      if (isNonNullType(type)) this.#add(path, 'must not be null.')
    } else if (isListType(nullable)) {
      // A value that is no list stands for a list of one.
      if (!Array.isArray(value)) this.visit(nullable.ofType, value, path, expected)
      else for (const [index, item] of value.entries()) this.visit(nullable.ofType, item, [...path, index])
    } else if (isInputObjectType(nullable) && isJsonObject(value)) this.#visitFields(nullable, value, path)
    else if (coerceInputValue(value, nullable) === undefined)
      this.#add(path, `must be ${this.#describe(nullable, expected)}.`)
    return this.problems.length > before
  }

  #visitFields(type: GraphQLInputObjectType, value: Record<string, unknown>, path: Path): void {
    const fields = type.getFields()
    const { checks } = type.extensions
    for (const [name, field] of Object.entries(fields)) {
      const expected = checks?.expected(name)
      const inner = [...path, name]
      if (!Object.hasOwn(value, name)) {
        if (isRequiredInputField(field)) this.visit(field.type, undefined, inner, expected)
      } else if (!this.visit(field.type, value[name], inner, expected)) {
        const reason = checks?.findExpected(name, value[name])
        if (reason != null) this.#add(inner, `must be ${reason}.`)
      }
    }
    const known = this.#hidesNames ? '' : `: it has ${Object.keys(fields).join(', ')}`
    for (const name of Object.keys(value))
      if (!Object.hasOwn(fields, name)) this.#add([...path, name], `is no field of ${type.name}${known}.`)
  }

  #add(path: Path, message: string): void {
    if (this.problems.length >= MAX_PROBLEMS) return
    const argument = printPath(path)
    // The last name, with the indexes after it.
    const name = printPath(path.slice(path.findLastIndex((key) => typeof key === 'string')))
    this.problems.push({ argument, message: `${name} ${message}` })
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

/** As in `input.tags[0].name`. */
export function printPath([first = '', ...keys]: Path): string {
  return `${first}${keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')}`
}
