import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { type OperationId, readContract } from '../../../src/rest/contract.ts'
import { createValidatorCompiler } from '../../../src/rest/request-validation.ts'

const { operations } = readContract()
const compile = createValidatorCompiler()

function operationOf(id: OperationId) {
  const operation = operations.find((candidate) => candidate.id === id)
  if (!operation) throw new Error(`The contract has no ${id}`)
  return operation
}
const route = { method: '', url: '' }
const { querySchema } = operationOf('listPets')
const { bodySchema } = operationOf('createPet')
const validateQuery = compile({ schema: querySchema, ...route, httpPart: 'querystring' })
const validateBody = compile({ schema: bodySchema ?? {}, ...route, httpPart: 'body' })

/** The message of an invalid value; undefined if it is valid. */
function messageOf(result: ReturnType<typeof validateBody>): string | undefined {
  if (typeof result !== 'object' || !('error' in result)) return undefined
  expect(result.error).toBeInstanceOf(ServiceError)
  expect(result.error).toMatchObject({ code: 'INVALID_VALUE' })
  return (result.error as ServiceError).message
}

const LIMIT = 'limit must be an integer from 1 to 100.'
const STATUS = 'status must be one of available, pending, sold.'
const CATEGORY = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.'

describe('a query', () => {
  it.each<[object, object]>([
    [{}, { limit: 20 }],
    [{ limit: '100' }, { limit: 100 }],
    [
      { status: 'sold', after: 'x' },
      { limit: 20, status: 'sold', after: 'x' },
    ],
    [{ after: '' }, { limit: 20, after: '' }],
    [{ more: ['1', '2'] }, { limit: 20, more: ['1', '2'] }],
  ])('%j is valid', (query, value) => expect(validateQuery(query)).toEqual({ value }))

  it.each<[object, string]>([
    [{ limit: ['1', '2'] }, LIMIT],
    [{ status: ['sold', 'sold'] }, STATUS],
    [{ after: ['x', 'y'] }, 'after must be a string.'],
    [{ limit: '0', status: 'lost' }, `${LIMIT} ${STATUS}`],
  ])('%j is invalid', (query, message) => expect(messageOf(validateQuery(query))).toBe(message))

  it('is not modified', () => {
    const query = { limit: '1' }
    validateQuery(query)
    expect(query).toEqual({ limit: '1' })
  })
})

// What is invalid in a body: test/service/rest/properties.test.ts, and the clauses in test/conformance.
describe('a body', () => {
  it.each<object>([
    { name: 'Rex', categoryId: 7n },
    { name: '', categoryId: -(2n ** 63n), status: 'sold', id: 'ignored', more: null },
  ])('%o is valid', (body) => expect(validateBody(body)).toEqual({ value: body }))

  it.each<[unknown, string]>([
    [
      {},
      `name is required: a string of at most 1000 characters. ${CATEGORY.replace('must be', 'is required:')}`,
    ],
    [{ name: 'Rex', categoryId: '7' }, CATEGORY],
    [{ name: 'Rex', categoryId: 2 ** 63 }, CATEGORY],
    [{ name: 'Rex', categoryId: 7n, status: 'lost' }, STATUS],
    [{ name: ['Rex'], categoryId: [7n] }, `name must be a string of at most 1000 characters. ${CATEGORY}`],
    [[], 'The body must be an object.'],
  ])('%o is invalid', (body, message) => expect(messageOf(validateBody(body))).toBe(message))
})

describe('an integer that is no int64, in a body', () => {
  const schema = {
    type: 'object',
    properties: { grams: { type: 'integer', format: 'int32', minimum: 0, maximum: 2147483647 } },
  }
  const validate = compile({ schema, ...route, httpPart: 'body' })

  it('becomes a number, and the body is not modified', () => {
    const body = { grams: 7n, more: 7n }
    expect(validate(body)).toEqual({ value: { grams: 7, more: 7n } })
    expect(body.grams).toBe(7n)
  })

  it.each([-1n, 2n ** 31n, 2n ** 63n - 1n, 2 ** 63, 7.5, '7', true, null])('is not %s', (grams) =>
    expect(messageOf(validate({ grams }))).toBe('grams must be an integer from 0 to 2147483647.'),
  )
})
