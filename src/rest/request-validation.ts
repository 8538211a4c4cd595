import type { FastifySchemaCompiler } from 'fastify'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { ServiceError } from '../base/service-error.ts'
import { INT64_RANGE, isExactInt64 } from '../base/int64.ts'
import { isJsonObject } from '../base/json.ts'
import type { Schema } from './contract.ts'

/**
 * Makes validators of the contract's schemas for Fastify. Nothing is coerced: a number in quotes is not a number. An int64 is a bigint
 * here, because parseExactJson returns one.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<Schema> {
  // The schemas are small and trusted, so finding all errors costs no more than finding the first.
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    useDefaults: true,
    // Only says which type a client may use; the range is in minimum and maximum.
    formats: { int32: true },
    // Redocly checks them (npm run check); checking them would delay each start.
    validateSchema: false,
  })
  ajv.addVocabulary(['x-addition', 'x-additions'])
  ajv.addKeyword({ keyword: 'int64', validate: (_: true, value: unknown) => isExactInt64(value) })

  return ({ schema, method, url, httpPart }) => {
    const isBody = httpPart === 'body'
    const fault = findUnsupported(schema, isBody)
    if (fault !== null) throw new Error(`${method} ${url}, ${isBody ? 'body' : 'query'}: ${fault}`)
    const read = readIntegers(schema, isBody ? toNumber : parseInteger)
    const isValid = ajv.compile(toBigintSchema(schema))
    return (input: unknown) => {
      const value = read(input)
      if (isValid(value)) return { value }
      return { error: describeErrors(isValid.errors ?? [], isBody ? 'The body' : 'The query') }
    }
  }
}

/** The keywords of an object, and those that say nothing about its values. */
const OBJECT_KEYWORDS = /^(type|required|properties|title|description|examples?|x-.*)$/

/** Those of an int64, whose values are checked against its range only. */
const INT64_KEYWORDS = /^(type|format|title|description|examples?|x-.*)$/

/** What a schema has that is not read below: anything but an object of plain values, or values that a query, which is text, cannot have. */
function findUnsupported({ type, properties = {}, ...others }: Schema, isBody: boolean): string | null {
  const keyword = Object.keys(others).find((name) => !OBJECT_KEYWORDS.test(name))
  if (keyword !== undefined) return `the keyword ${keyword} is not supported`
  if (type !== 'object') return 'only an object is supported'
  for (const [name, property] of Object.entries(properties)) {
    const { type, format } = property
    const isSupported = isBody
      ? type === 'string' || type === 'integer' || type === 'boolean'
      : type === 'string' || (type === 'integer' && format !== 'int64')
    if (!isSupported) return `the type of ${name} is not supported`
    const keyword = format === 'int64' && Object.keys(property).find((name) => !INT64_KEYWORDS.test(name))
    if (keyword) return `the keyword ${keyword} of ${name}, an int64, is not supported`
  }
  return null
}

function toBigintSchema(schema: Schema): Schema {
  if (schema.format === 'int64') return { int64: true }
  const { properties, ...keywords } = schema
  if (!properties) return keywords
  const entries = Object.entries(properties).map(
    ([name, property]) => [name, toBigintSchema(property)] as const,
  )
  return { ...keywords, properties: Object.fromEntries(entries) }
}

/** Where the schema has an integer that is no int64, a value becomes a number, if it is one. The input is not modified. */
function readIntegers(
  { properties = {} }: Schema,
  read: (value: unknown) => unknown,
): (input: unknown) => unknown {
  const names = Object.entries(properties).flatMap(([name, { type, format }]) =>
    type === 'integer' && format !== 'int64' ? [name] : [],
  )
  return (input) => {
    if (names.length === 0 || !isJsonObject(input)) return input
    const values = { ...input }
    for (const name of names) if (Object.hasOwn(values, name)) values[name] = read(values[name])
    return values
  }
}

/** Query parameters arrive as text; only canonical decimal digits are a number. */
function parseInteger(value: unknown): unknown {
  return typeof value === 'string' && /^(0|-?[1-9]\d*)$/.test(value) ? Number(value) : value
}

/** In bodies, parseExactJson has made each integer a bigint. */
function toNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

function describeErrors(errors: readonly ErrorObject[], subject: string): ServiceError {
  const found = new Map<string, string>()
  for (const error of errors) {
    const parent: Schema = error.parentSchema ?? {}
    if (error.keyword === 'required') {
      const name = String(error.params.missingProperty)
      found.set(name, `${name} is required: ${describeSchema(parent.properties?.[name] ?? {})}.`)
    } else {
      const name = error.instancePath.slice(1)
      if (!found.has(name)) found.set(name, `${name || subject} must be ${describeSchema(parent)}.`)
    }
  }
  return new ServiceError('INVALID_VALUE', [...found.values()].join(' '))
}

function describeSchema(schema: Schema): string {
  if (schema.int64) return INT64_RANGE
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  const { type, minimum, maximum, maxLength } = schema
  if (type === 'integer')
    return minimum === undefined || maximum === undefined
      ? 'an integer'
      : `an integer from ${minimum} to ${maximum}`
  if (maxLength !== undefined) return `a ${type} of at most ${maxLength} characters`
  return type === 'object' ? 'an object' : `a ${type}`
}
