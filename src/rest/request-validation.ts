/**
 * Validators of queries and bodies, made of the contract's schemas: a schema is an object, and each of its properties has one of the types
 * in `typeOf`. Ajv finds what is invalid; the messages are ours.
 */
import type { FastifySchemaCompiler } from 'fastify'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { ServiceError } from '../base/service-error.ts'
import { INT64_RANGE, isExactInt64 } from '../base/int64.ts'
import { isJsonObject } from '../base/json.ts'
import type { Schema } from './contract.ts'

/**
 * Makes validators for Fastify. Nothing is coerced: in a body, a number in quotes is not a number. An int64 is a bigint here, because
 * parseExactJson returns one.
 * @returns a function that throws an Error, at startup, if a schema is not supported
 */
export function createValidatorCompiler(): FastifySchemaCompiler<Schema> {
  const ajv = new Ajv2020({
    // The schemas are small and trusted, so finding all errors costs no more than finding the first.
    allErrors: true,
    useDefaults: true,
    // Only says which type a client may use; the range is in minimum and maximum.
    formats: { int32: true },
    // Redocly checks them (npm run check); checking them would delay each start.
    validateSchema: false,
  })
  ajv.addKeyword({ keyword: 'int64', validate: (_: true, value: unknown) => isExactInt64(value) })

  return ({ schema, method, url, httpPart }) => {
    const isBody = httpPart === 'body'
    const fault = findUnsupported(schema, isBody)
    if (fault !== null) throw new Error(`${method} ${url}, ${isBody ? 'body' : 'query'}: ${fault}`)
    const read = readIntegers(schema, isBody ? toNumber : parseInteger)
    const isValid = ajv.compile(toAjvSchema(schema))
    return (input: unknown) => {
      const value = read(input)
      if (isValid(value)) return { value }
      return { error: describeErrors(isValid.errors ?? [], schema, isBody ? 'The body' : 'The query') }
    }
  }
}

interface PropertyType {
  /** What a value must be, in messages. */
  expected: string
  /** What its schema may have, besides its type and annotations: all that these demand is in `expected`. */
  keywords: readonly string[]
  /** Whether a query, which is text, may have it. */
  isForQueries: boolean
}

/** The type of a property; null: it is not supported. To support another one, or another keyword, add a case here. */
function typeOf({ type, format, enum: values, minimum, maximum, maxLength }: Schema): PropertyType | null {
  switch (type) {
    case 'integer':
      if (format === 'int64') return { expected: INT64_RANGE, keywords: ['format'], isForQueries: false }
      // It becomes a number, which would be another one beyond these bounds.
      if (!Number.isSafeInteger(minimum) || !Number.isSafeInteger(maximum)) return null
      return {
        expected: `an integer from ${minimum} to ${maximum}`,
        keywords: ['format', 'default', 'minimum', 'maximum'],
        isForQueries: true,
      }
    case 'string':
      if (values)
        return {
          expected: `one of ${values.join(', ')}`,
          keywords: ['default', 'enum'],
          isForQueries: true,
        }
      return {
        expected: maxLength === undefined ? 'a string' : `a string of at most ${maxLength} characters`,
        keywords: ['default', 'maxLength'],
        isForQueries: true,
      }
    case 'boolean':
      return { expected: 'a boolean', keywords: ['default'], isForQueries: false }
    default:
      return null
  }
}

/** Keywords that say nothing about values. */
const ANNOTATION = /^(title|description|examples?|x-.*)$/

function findUnsupported(schema: Schema, isBody: boolean): string | null {
  const { type, required = [], properties = {} } = schema
  const keyword = findUnknown(schema, ['type', 'required', 'properties'])
  if (keyword !== undefined) return `the keyword ${keyword} is not supported`
  if (type !== 'object') return 'only an object is supported'
  for (const [name, property] of Object.entries(properties)) {
    const found = typeOf(property)
    if (!found || !(isBody || found.isForQueries)) return `the type of ${name} is not supported`
    const keyword = findUnknown(property, ['type', ...found.keywords])
    if (keyword !== undefined) return `the keyword ${keyword} of ${name} is not supported`
  }
  const undescribed = required.find((name) => !(name in properties))
  return undescribed === undefined
    ? null
    : `required is not supported for ${undescribed}, which is no property`
}

function findUnknown(schema: Schema, keywords: readonly string[]): string | undefined {
  return Object.keys(schema).find((name) => !keywords.includes(name) && !ANNOTATION.test(name))
}

/** The schema in Ajv's terms: with our keyword for an int64, and without annotations, of which Ajv rejects some. */
function toAjvSchema({ required = [], properties = {} }: Schema): Schema {
  const entries = Object.entries(properties).map(([name, property]): [string, Schema] => {
    if (property.format === 'int64') return [name, { int64: true }]
    const keywords = Object.entries(property).filter(([keyword]) => !ANNOTATION.test(keyword))
    return [name, Object.fromEntries(keywords)]
  })
  return { type: 'object', required, properties: Object.fromEntries(entries) }
}

/** Makes numbers of the integers that are no int64, in a copy of the input; what is no integer stays as it is, for Ajv to find. */
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

/** One sentence for each property that is missing or invalid. @param subject what is meant if it is not even an object */
function describeErrors(
  errors: readonly ErrorObject[],
  { properties = {} }: Schema,
  subject: string,
): ServiceError {
  const expectedOf = (name: string) => typeOf(properties[name] ?? {})?.expected
  const found = new Map<string, string>()
  for (const { keyword, params, instancePath } of errors) {
    if (keyword === 'required') {
      const name = String(params.missingProperty)
      found.set(name, `${name} is required: ${expectedOf(name)}.`)
    } else {
      const name = instancePath.slice(1)
      const problem = name === '' ? `${subject} must be an object.` : `${name} must be ${expectedOf(name)}.`
      if (!found.has(name)) found.set(name, problem)
    }
  }
  return new ServiceError('INVALID_VALUE', [...found.values()].join(' '))
}
