import { describe, expect, it } from 'vitest'
import { readContract } from '../../../src/rest/contract.ts'
import { publishContract } from '../../../src/rest/published-contract.ts'
import { restOperations } from '../../../src/server/rest-operations.ts'
import { deprecated, lasting } from '../support/operations.ts'

const contract = readContract()

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
