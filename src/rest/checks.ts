import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { ServiceError } from '../errors.ts'
import { INT64_RANGE } from '../int64.ts'
import type { Schema } from './contract.ts'

/** Gives back the value, with defaults filled in, or what is wrong with it: the form that Fastify takes a validator in. */
export type Check = (value: unknown) => { value: unknown } | { error: ServiceError }

/**
 * Makes checks of the contract's schemas. Nothing is coerced: a number in quotes is no number.
 * An int64 is a bigint here, which is what parseJson makes of it.
 */
export function createChecks(): Record<'checkQuery' | 'checkBody', (schema: Schema) => Check> {
  // Schemas are small and ours, so that looking for all errors costs no more than the first.
  const ajv = new Ajv2020({ allErrors: true, verbose: true, useDefaults: true, coerceTypes: false })
  ajv.addKeyword({ keyword: 'int64', validate: (_: true, value: unknown) => typeof value === 'bigint' })

  const compile = (schema: Schema, whole: string, read: (value: unknown) => unknown): Check => {
    const accepts = ajv.compile(toBigintSchema(schema))
    return (input) => {
      const value = read(input)
      return accepts(value) ? { value } : { error: describeErrors(accepts.errors ?? [], whole) }
    }
  }
  return {
    checkQuery: (schema) => compile(schema, 'The query', (value) => readQuery(schema, value)),
    checkBody: (schema) => compile(schema, 'The body', (value) => value),
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

/** Query parameters arrive as text; one whose schema is an integer becomes one if it is written as one. */
function readQuery({ properties = {} }: Schema, query: unknown): unknown {
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
