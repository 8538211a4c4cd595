import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import type { Schema } from '../../../src/rest/contract.ts'
import { createValidatorCompiler } from '../../../src/rest/request-validation.ts'

const compile = createValidatorCompiler()
const compilePart = (httpPart: string, schema: Schema) => compile({ schema, method: '', url: '', httpPart })

const size = { type: 'string', enum: ['small', 'large'] }
const validateQuery = compilePart('querystring', {
  type: 'object',
  required: [],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    size,
    after: { type: 'string' },
  },
})
const validateBody = compilePart('body', {
  type: 'object',
  required: ['label', 'ownerId'],
  properties: {
    label: { type: 'string', maxLength: 5 },
    ownerId: { type: 'integer', format: 'int64' },
    size,
    grams: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 },
  },
})

/** The message of an invalid value; undefined if it is valid. */
function messageOf(result: ReturnType<typeof validateBody>): string | undefined {
  if (typeof result !== 'object' || !('error' in result)) return undefined
  expect(result.error).toBeInstanceOf(ServiceError)
  expect(result.error).toMatchObject({ code: 'INVALID_VALUE' })
  return (result.error as ServiceError).message
}

const LIMIT = 'limit must be an integer from 1 to 100.'
const SIZE = 'size must be one of small, large.'
const LABEL = 'label must be a string of at most 5 characters.'
const OWNER = 'ownerId must be an integer from -9223372036854775808 to 9223372036854775807.'
const GRAMS = 'grams must be an integer from 0 to 2147483647.'

/** The schema of an object with one property. */
const of = (property: Schema): Schema => ({ type: 'object', properties: { x: property } })

describe('a schema is not supported', () => {
  const id = { type: 'integer', format: 'int64' }
  it.each<[what: string, httpPart: string, schema: Schema]>([
    ['with a list', 'body', of({ type: 'array', items: size })],
    ['with an object', 'body', of(of(id))],
    ['with a number that is no integer', 'body', of({ type: 'number' })],
    ['with an integer without minimum', 'body', of({ type: 'integer', maximum: 1 })],
    ['with an integer without maximum', 'body', of({ type: 'integer', minimum: 1 })],
    [
      'with an integer that a number may not hold',
      'body',
      of({ type: 'integer', minimum: 1, maximum: 2 ** 53 }),
    ],
    ['with several types', 'body', of({ oneOf: [size] })],
    ['that combines others', 'body', { type: 'object', allOf: [of(id)] }],
    ['of a list', 'body', { type: 'array', items: of(id) }],
    ['that requires what it does not describe', 'body', { ...of(size), required: ['y'] }],
    ['with an int64, in a query', 'querystring', of(id)],
    ['with a boolean, in a query', 'querystring', of({ type: 'boolean' })],
  ])('%s', (_, httpPart, schema) => {
    expect(() => compilePart(httpPart, schema)).toThrow('supported')
  })

  // A message about an invalid value says all that the schema demands.
  it.each<[keyword: string, property: Schema]>([
    ['minimum', { type: 'integer', format: 'int64', minimum: 1 }],
    ['default', { type: 'integer', format: 'int64', default: 1 }],
    ['multipleOf', { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 }],
    ['minLength', { type: 'string', minLength: 1 }],
    ['pattern', { type: 'string', maxLength: 9, pattern: '^x' }],
    ['format', { type: 'string', format: 'date' }],
    ['maxLength', { ...size, maxLength: 5 }],
    ['const', { type: 'boolean', const: true }],
  ])('with the keyword %s in %j', (keyword, property) => {
    expect(() => compilePart('body', of(property))).toThrow(`the keyword ${keyword} of x is not supported`)
  })

  it('with an unknown format of integers', () => {
    expect(() =>
      compilePart('body', of({ type: 'integer', format: 'int16', minimum: 1, maximum: 9 })),
    ).toThrow('int16')
  })
})

it('a schema may have what says nothing about values', () => {
  const annotations = { title: 'X', description: 'x', example: 1, examples: [1], 'x-internal': true }
  for (const property of [{ type: 'string' }, { type: 'integer', format: 'int64' }, { type: 'boolean' }]) {
    const schema = { ...of({ ...property, ...annotations }), ...annotations }
    expect(messageOf(compilePart('body', schema)({ x: null }))).toMatch(/^x must be an? /)
  }
})

describe('a query', () => {
  it.each<[object, object]>([
    [{}, { limit: 20 }],
    [{ limit: '100' }, { limit: 100 }],
    [
      { size: 'large', after: 'x' },
      { limit: 20, size: 'large', after: 'x' },
    ],
    [{ after: '' }, { limit: 20, after: '' }],
    [{ more: ['1', '2'] }, { limit: 20, more: ['1', '2'] }],
  ])('%j is valid', (query, value) => expect(validateQuery(query)).toEqual({ value }))

  it.each<[object, string]>([
    [{ limit: ['1', '2'] }, LIMIT],
    [{ size: ['large', 'large'] }, SIZE],
    [{ after: ['x', 'y'] }, 'after must be a string.'],
    [{ limit: '0', size: 'lost' }, `${LIMIT} ${SIZE}`],
  ])('%j is invalid', (query, message) => expect(messageOf(validateQuery(query))).toBe(message))

  it('is not modified', () => {
    const query = { limit: '1' }
    validateQuery(query)
    expect(query).toEqual({ limit: '1' })
  })
})

// What is invalid in a body: test/service/rest/properties.test.ts, and the clauses in test/conformance.
describe('a body', () => {
  const body = { label: 'books', ownerId: 7n }

  it.each<object>([
    body,
    { label: '', ownerId: -(2n ** 63n), size: 'large', id: 'ignored', more: null },
    { label: '🐕'.repeat(5), ownerId: 7n, more: 7n },
  ])('%o is valid', (valid) => expect(validateBody(valid)).toEqual({ value: valid }))

  it.each<[unknown, string]>([
    [{}, [LABEL, OWNER].join(' ').replaceAll('must be', 'is required:')],
    [{ ...body, ownerId: '7' }, OWNER],
    [{ ...body, ownerId: 2 ** 63 }, OWNER],
    [{ ...body, size: 'lost' }, SIZE],
    [{ ...body, label: ['books'], ownerId: [7n] }, `${LABEL} ${OWNER}`],
    [[], 'The body must be an object.'],
    ...[-1n, 2n ** 31n, 2n ** 63n - 1n, 2 ** 63, 7.5, '7', true, null].map((grams): [unknown, string] => [
      { ...body, grams },
      GRAMS,
    ]),
  ])('%o is invalid', (invalid, message) => expect(messageOf(validateBody(invalid))).toBe(message))

  it('has a number where an integer is no int64, and is not modified', () => {
    const input = { ...body, grams: 7n }
    expect(validateBody(input)).toEqual({ value: { ...body, grams: 7 } })
    expect(input.grams).toBe(7n)
  })
})
