/**
 * What is wrong with the values of variables, in words that name the value and say what it must be. graphql-js decides whether they are valid
 * (read-variables.ts); a property test compares both.
 */
import {
  coerceInputValue,
  getNullableType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import { isJsonObject } from '../../base/json.ts'
import type { Problem } from '../../base/error-catalogue.ts'
import { MAX_PROBLEMS } from '../../base/service-error.ts'
import type { Field } from '../../resource/fields/resource.ts'
import { printName, printPath, type SentValue } from '../request/sent-values.ts'

/** Collects the problems of values. */
export class ProblemFinder {
  /** At most MAX_PROBLEMS, in the order of the schema. */
  readonly problems: Problem[] = []
  readonly #hidesNames: boolean

  /** @param hidesNames as in GraphqlSettings */
  constructor(hidesNames: boolean) {
    this.#hidesNames = hidesNames
  }

  /** @param field of a resource: the value must be valid for it, too @returns whether there are problems */
  visit(type: GraphQLInputType, sent: SentValue, field?: Field): boolean {
    const before = this.problems.length
    if (before >= MAX_PROBLEMS) return false
    const { value } = sent
    const nullable = getNullableType(type)
    if (value === undefined) {
      if (isNonNullType(type)) this.#add(sent, `is required: ${this.#describe(nullable, field)}.`)
    } else if (value === null) {
      if (isNonNullType(type)) this.#add(sent, 'must not be null.')
    } else if (isListType(nullable)) this.#visitItems(nullable, sent, field)
    else if (isInputObjectType(nullable) && isJsonObject(value)) this.#visitFields(nullable, value, sent)
    else if (coerceInputValue(value, nullable) === undefined)
      this.#add(sent, `must be ${this.#describe(nullable, field)}.`)
    else if (field && typeof value === 'string') {
      const expected = field.expectedInstead(value)
      if (expected !== null) this.#add(sent, `must be ${expected}.`)
    }
    return this.problems.length > before
  }

  #visitItems({ ofType }: GraphQLList<GraphQLInputType>, sent: SentValue, field?: Field): void {
    const { value } = sent
    // A value that is no list stands for a list of one.
    if (!Array.isArray(value)) this.visit(ofType, sent, field)
    else
      for (const [key, item] of Object.entries(value))
        this.visit(ofType, { key, value: item, parent: sent }, field)
  }

  #visitFields(type: GraphQLInputObjectType, values: Record<string, unknown>, parent: SentValue): void {
    const fields = type.getFields()
    for (const [key, field] of Object.entries(fields)) {
      const value = Object.hasOwn(values, key) ? values[key] : undefined
      if (value === undefined && !isRequiredInputField(field)) continue
      this.visit(field.type, { key, value, parent }, type.extensions.resourceFields?.get(key))
    }
    const names = this.#hidesNames ? '' : Object.keys(fields).join(', ')
    if (type.isOneOf && !hasOneValue(Object.keys(fields), values))
      this.#add(parent, `must have exactly one field, which must not be null${names && `: one of ${names}`}.`)
    for (const [key, value] of Object.entries(values))
      if (!Object.hasOwn(fields, key))
        this.#add({ key, value, parent }, `is no field of ${type.name}${names && `: it has ${names}`}.`)
  }

  #add(sent: SentValue, message: string): void {
    if (this.problems.length >= MAX_PROBLEMS) return
    this.problems.push({ argument: printPath(sent), message: `${printName(sent)} ${message}` })
  }

  /** What a value must be, after "must be". */
  #describe(type: GraphQLInputType, field?: Field): string {
    const nullable = getNullableType(type)
    if (isListType(nullable)) return this.#describe(nullable.ofType, field)
    if (isInputObjectType(nullable)) return 'an object'
    if (!isEnumType(nullable))
      return nullable.extensions.expected ?? field?.expected ?? EXPECTED[nullable.name] ?? nullable.name
    if (this.#hidesNames) return `a value of ${nullable.name}`
    const names = nullable.getValues().map(({ name }) => name)
    return `one of ${names.join(', ')}`
  }
}

/** Whether an object has exactly one of these fields, and its value is not null. */
function hasOneValue(fields: readonly string[], values: Record<string, unknown>): boolean {
  const [name, ...others] = fields.filter((field) => Object.hasOwn(values, field))
  return name !== undefined && others.length === 0 && values[name] !== null
}

/** What the values of GraphQL's own scalars are. */
const EXPECTED: Readonly<Record<string, string>> = {
  Boolean: 'true or false',
  Float: 'a number',
  ID: 'a string or an integer',
  Int: 'an integer from -2147483648 to 2147483647',
  String: 'a string',
}
