/** The values of the variables of an operation, coerced by graphql-js, or what is wrong with each of them. */
import {
  getNullableType,
  getVariableValues,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  validateInputValue,
  type VariableValues,
} from 'graphql'
import { isJsonObject } from '../base/json.ts'
import { type Problem, ServiceError } from '../base/service-error.ts'
import { RequestErrors } from './masked-errors.ts'

/** The maximum number of problems that are reported: each takes time, and prints what is wrong. */
const MAX_PROBLEMS = 10

/**
 * @param variables as sent by the client
 * @param hidesNames whether messages must not reveal names in the schema
 * @throws RequestErrors INVALID_VALUE that names all problems
 */
export function readVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
  hidesNames = false,
): VariableValues {
  const { variableDefinitions = [] } = operation
  const { variableValues, errors } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: 1,
  })
  if (variableValues) return variableValues
  const nodes = []
  const problems: Problem[] = []
  for (const definition of variableDefinitions) {
    const { value: name } = definition.variable.name
    const type = typeFromAST(schema, definition.type)
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (!isInputType(type) || (value === undefined && definition.defaultValue)) continue
    const found = new ProblemFinder(hidesNames, MAX_PROBLEMS - problems.length).find(name, type, value)
    problems.push(...found)
    if (found.length > 0) nodes.push(definition)
  }
  if (problems.length === 0) throw new RequestErrors(errors)
  const message = problems.map(({ message }) => message).join(' ')
  const cause = new ServiceError('INVALID_VALUE', message, { problems })
  throw new RequestErrors([new GraphQLError(message, { nodes, cause })])
}

/** The path to a value: the name of the variable, then keys and indexes. */
type Path = readonly (string | number)[]

/** Says in words of our own what is wrong with a variable; graphql-js decides whether something is. */
class ProblemFinder {
  readonly #hidesNames: boolean
  readonly #maximum: number
  readonly #problems: Problem[] = []
  /** The paths to the values that graphql-js rejects. */
  readonly #rejected = new Set<string>()

  constructor(hidesNames: boolean, maximum: number) {
    this.#hidesNames = hidesNames
    this.#maximum = maximum
  }

  find(name: string, type: GraphQLInputType, value: unknown): Problem[] {
    this.#collectRejected(name, type, value)
    this.#visit(type, value, [name])
    return this.#problems
  }

  #collectRejected(name: string, type: GraphQLInputType, value: unknown): void {
    const enough = new Error('Enough is known')
    let count = 0
    const report = (_: unknown, path: Path) => {
      this.#rejected.add(printPath([name, ...path]))
      count += 1
      if (count === this.#maximum) throw enough
    }
    try {
      validateInputValue(value, type, report, true)
    } catch (error) {
      if (error !== enough) throw error
    }
  }

  /** @param expected what it must be, if that is more than its type says */
  #visit(type: GraphQLInputType, value: unknown, path: Path, expected?: string): void {
    const nullable = getNullableType(type)
    if (isInputObjectType(nullable) && isJsonObject(value)) return this.#visitFields(nullable, value, path)
    if (isListType(nullable) && Array.isArray(value))
      return value.forEach((item, index) => this.#visit(nullable.ofType, item, [...path, index]))
    if (!this.#rejected.has(printPath(path))) return
    if (value === null) this.#add(path, 'must not be null.')
    else {
      const must = value === undefined ? 'is required:' : 'must be'
      this.#add(path, `${must} ${expected ?? this.#describe(nullable)}.`)
    }
  }

  #visitFields(type: GraphQLInputObjectType, value: Record<string, unknown>, path: Path): void {
    const fields = type.getFields()
    const { checks } = type.extensions
    for (const [name, field] of Object.entries(fields)) {
      const inner = [...path, name]
      const expected = checks?.expected(name)
      if (Object.hasOwn(value, name)) {
        const before = this.#problems.length
        this.#visit(field.type, value[name], inner, expected)
        const reason = this.#problems.length === before ? checks?.findExpected(name, value[name]) : null
        if (reason != null) this.#add(inner, `must be ${reason}.`)
      } else if (isRequiredInputField(field))
        this.#add(inner, `is required: ${expected ?? this.#describe(getNullableType(field.type))}.`)
    }
    const known = this.#hidesNames ? '' : `: it has ${Object.keys(fields).join(', ')}`
    for (const name of Object.keys(value))
      if (!Object.hasOwn(fields, name)) this.#add([...path, name], `is no field of ${type.name}${known}.`)
  }

  #add(path: Path, message: string): void {
    if (this.#problems.length >= this.#maximum) return
    const argument = printPath(path)
    // The last name, with the indexes after it.
    const name = printPath(path.slice(path.findLastIndex((key) => typeof key === 'string')))
    this.#problems.push({ argument, message: `${name} ${message}` })
  }

  #describe(type: GraphQLInputType): string {
    const nullable = getNullableType(type)
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
