import { describe, expect, it } from 'vitest'
import { PAGE_SIZE } from '../../../src/resource/lists/page-size.ts'
import { publishContract, readContract, readOperation } from '../../../src/rest/contract.ts'
import { restOperations } from '../../../src/server/app.ts'
import { deprecated, lasting } from '../support/operations.ts'

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

describe('the published contract', () => {
  const addresses = { production: 'https://a/v1', staging: 'https://b/v1', graphiql: 'https://a/graphql' }

  it('has the addresses of its servers', () => {
    expect(publishContract(contract, restOperations, addresses, []).servers).toEqual([
      { url: 'https://a/v1', description: 'Production' },
      { url: 'https://b/v1', description: 'Staging' },
    ])
    expect(
      publishContract(contract, restOperations, { ...addresses, production: null, staging: null }, [])
        .servers,
    ).toEqual([{ url: '/v1', description: 'This server' }])
  })

  it('has its properties in the usual order: openapi and info come first', () => {
    const published = Object.keys(publishContract(contract, restOperations, addresses, []))
    expect(published).toEqual(Object.keys(contract.document))
    expect(published.slice(0, 2)).toEqual(['openapi', 'info'])
    expect(Object.keys(publishContract(contract, restOperations, addresses, [deprecated]))).toEqual(published)
  })

  it('without the operation that reads an item promises no Location of it, and keeps all others', () => {
    const [path = '', methods = {}] =
      Object.entries(contract.document.paths).find(([, { post }]) =>
        JSON.stringify(post).includes('"Location"'),
      ) ?? []
    const document = {
      ...contract.document,
      paths: { ...contract.document.paths, '/crates': methods },
      'x-schema': { properties: { Location: { type: 'string' } } },
    }
    const without = { ...addresses, graphiql: null }
    const published = publishContract({ ...contract, document }, restOperations, without, [deprecated])
    expect(JSON.stringify(published.paths[path])).not.toContain('"Location"')
    expect(published.paths['/crates']).toEqual(methods)
    expect(published['x-schema']).toEqual(document['x-schema'])
  })

  it('without another operation on an item still promises its Location', () => {
    const operation = { operationId: lasting, description: '' }
    const post = { ...operation, responses: { 201: { headers: { Location: {} } } } }
    const onItem = { get: operation, delete: { ...operation, operationId: deprecated } }
    const document = { ...contract.document, paths: { '/crates': { post }, '/crates/{crateId}': onItem } }
    const without = { ...addresses, graphiql: null }
    const published = publishContract({ ...contract, document }, restOperations, without, [deprecated])
    expect(published.paths).toEqual({ '/crates': { post }, '/crates/{crateId}': { get: operation } })
  })

  it('without an operation has no components that nothing refers to', () => {
    const published = publishContract(contract, restOperations, addresses, [deprecated])
    const text = JSON.stringify(published)
    for (const { components } of [contract.document, published])
      for (const [section, all] of Object.entries(components ?? {}))
        for (const name of Object.keys(all)) {
          const isReferredTo =
            text.includes(`"#/components/${section}/${name}"`) || section === 'securitySchemes'
          expect([name, name in (published.components?.[section] ?? {})]).toEqual([name, isReferredTo])
        }
  })

  it('links each operation to its GraphQL equivalent, with variables', () => {
    const { paths } = publishContract(contract, restOperations, addresses, [])
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { externalDocs, ...operation }] of Object.entries(methods)) {
        const { operationId } = operation
        const { origin, pathname, searchParams } = new URL(externalDocs?.url ?? '')
        expect(origin + pathname).toBe('https://a/graphql')
        expect(searchParams.get('query')).toMatch(new RegExp(`(query|mutation) ${operationId}\\(`))
        expect(JSON.parse(searchParams.get('variables') ?? '')).not.toEqual({})
        // Generators copy the rest into comments.
        expect(operation).toEqual(contract.document.paths[path]?.[method])
      }
    }
  })

  it('has no links if GraphiQL is not served, or its address is not known', () => {
    const published = publishContract(contract, restOperations, { ...addresses, graphiql: null }, [])
    expect(published.paths).toEqual(contract.document.paths)
  })
})
