import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { ServiceError } from '../base/errors.ts'
import { INT64_RANGE } from '../base/int64.ts'
import type { Schema } from './contract.ts'

/** Returns the value with defaults filled in, or an error, as Fastify expects from a validator. */
export type Validator = (value: unknown) => { value: unknown } | { error: ServiceError }

/**
 * Creates validators for the contract's schemas. Nothing is coerced: a number in quotes is not a number. An int64 is a bigint here,
 * because parseExactJson returns one.
 */
export function createValidators(): Record<'forQuery' | 'forBody', (schema: Schema) => Validator> {
  // The schemas are small and trusted, so finding all errors costs no more than finding the first.
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    useDefaults: true,
    coerceTypes: false,
    // Redocly checks them (npm run check); checking them at each start would take 30 ms.
    validateSchema: false,
  })
  ajv.addKeyword({ keyword: 'int64', validate: (_: true, value: unknown) => typeof value === 'bigint' })

  const compile = (schema: Schema, whole: string, read: (value: unknown) => unknown): Validator => {
    const isValid = ajv.compile(toBigintSchema(schema))
    return (input) => {
      const value = read(input)
      return isValid(value) ? { value } : { error: describeErrors(isValid.errors ?? [], whole) }
    }
  }
  return {
    forQuery: (schema) => compile(schema, 'The query', (value) => parseQuery(schema, value)),
    forBody: (schema) => compile(schema, 'The body', (value) => value),
  }
}

function toBigintSchema(schema: Schema): Schema {
  if (schema.format === 'int64') return { int64: true }
  const { properties, ...rest } = schema
  if (!properties) return rest
  const entries = Object.entries(properties).map(
    ([name, property]) => [name, toBigintSchema(property)] as const,
  )
  return { ...rest, properties: Object.fromEntries(entries) }
}

/** Query parameters arrive as text. Where the schema has an integer, canonical decimal text becomes a number. */
function parseQuery({ properties = {} }: Schema, query: unknown): unknown {
  const values: Record<string, unknown> = { ...(query as object) }
  for (const [name, { type }] of Object.entries(properties)) {
    const text = values[name]
    if (type === 'integer' && typeof text === 'string' && /^(0|-?[1-9]\d*)$/.test(text))
      values[name] = Number(text)
  }
  return values
}

function describeErrors(errors: readonly ErrorObject[], whole: string): ServiceError {
  const found = new Map<string, string>()
  for (const error of errors) {
    const parent: Schema = error.parentSchema ?? {}
    if (error.keyword === 'required') {
      const name = String(error.params.missingProperty)
      found.set(name, `${name} is required: ${describeSchema(parent.properties?.[name] ?? {})}.`)
    } else {
      const name = error.instancePath.slice(1)
      if (!found.has(name)) found.set(name, `${name || whole} must be ${describeSchema(parent)}.`)
    }
  }
  return new ServiceError('INVALID_VALUE', [...found.values()].join(' '))
}

function describeSchema(schema: Schema): string {
  if (schema.int64) return INT64_RANGE
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.minimum !== undefined) return `an integer from ${schema.minimum} to ${schema.maximum}`
  return schema.type === 'object' ? 'an object' : `a ${schema.type}`
}
