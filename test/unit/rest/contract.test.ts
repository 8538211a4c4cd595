import { describe, expect, it } from 'vitest'
import { PAGE_SIZE } from '../../../src/resource/lists/page-arguments.ts'
import { readContract, readOperation } from '../../../src/rest/contract.ts'
import { lasting } from '../support/operations.ts'

const contract = readContract()
const documented = Object.values(contract.document.paths).flatMap((methods) => Object.values(methods))

describe('the operations of the contract are read', () => {
  it('with the page size that both APIs have, if they take one', () => {
    const { maximum, default: size } = PAGE_SIZE
    const limits = contract.operations.flatMap(({ querySchema }) => querySchema.properties.limit ?? [])
    expect(limits).not.toEqual([])
    for (const limit of limits) expect(limit).toMatchObject({ minimum: 1, maximum, default: size })
  })

  it('with their references resolved', () => {
    expect(JSON.stringify(contract.operations)).not.toContain('$ref')
  })

  it('without the parameters of their paths', () => {
    for (const { url, querySchema } of contract.operations) {
      const named = Array.from(url.matchAll(/:(\w+)/g), ([, name = '']) => name)
      expect(named.filter((name) => name in querySchema.properties)).toEqual([])
    }
  })

  const operation = { operationId: lasting, responses: { 200: {}, 400: {} } }
  const requestBody = { required: true, content: { 'application/json': { schema: { type: 'object' } } } }

  it.each([
    ['get', '200', {}],
    ['post', '201', { requestBody }],
    ['put', '200', { requestBody }],
    ['patch', '202', { requestBody }],
    ['delete', '204', {}],
  ])('with their status, and a body if they take one: %s, %s', (method, status, others) => {
    const read = readOperation('/x', method, {
      ...operation,
      responses: { [status]: {}, 400: {} },
      ...others,
    })
    expect([read.method, read.status]).toEqual([method.toUpperCase(), Number(status)])
    expect(read.bodySchema).toEqual('requestBody' in others ? { type: 'object' } : null)
  })

  const announced = {
    deprecated: true,
    'x-deprecated-since': '2025-12-05',
    'x-sunset': '2030-12-05',
    'x-successor': '/x',
  }

  it('with the times of their deprecation', () => {
    const { deprecation } = readOperation('/x', 'get', { ...operation, ...announced })
    const [since, sunset] = [new Date('2025-12-05'), new Date('2030-12-05')]
    expect(deprecation).toEqual({ since, sunset, successor: '/x' })
  })

  it.each<[what: string, method: string, others: object]>([
    ['another method', 'trace', {}],
    ['the parameters of a path', 'parameters', {}],
    ['a parameter in a cookie', 'get', { parameters: [{ in: 'cookie', name: 'a', schema: {} }] }],
    ['a body of a GET', 'get', { requestBody }],
    ['no body of a PUT', 'put', {}],
    ['an optional body', 'post', { requestBody: { ...requestBody, required: false } }],
    ['a body that is not JSON', 'post', { requestBody: { required: true, content: { 'text/csv': {} } } }],
    ['two successful responses', 'get', { responses: { 200: {}, 202: {} } }],
    ['no successful response', 'get', { responses: { default: {} } }],
    ['no date since when it is deprecated', 'get', { ...announced, 'x-deprecated-since': 'last year' }],
    ['no date of the removal', 'get', { ...announced, 'x-sunset': '2030-13-05' }],
    ['a range of successful responses', 'get', { responses: { '2XX': {} } }],
  ])('unless they have what routes do not support: %s', (_, method, others) => {
    expect(() => readOperation('/x', method, { ...operation, ...others })).toThrow(/support|must/)
  })

  it('with a deprecation, if they are deprecated', () => {
    const found = contract.operations.filter(({ deprecation }) => deprecation !== null)
    expect(found).not.toEqual([])
    expect(found.map(({ id }) => id)).toEqual(
      documented.filter(({ deprecated }) => deprecated).map(({ operationId }) => operationId),
    )
  })
})
