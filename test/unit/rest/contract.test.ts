import { describe, expect, it } from 'vitest'
import { petOperations } from '../../../src/pets/rest.ts'
import { PAGE_SIZE } from '../../../src/resource/list-declaration.ts'
import { publishContract, readContract } from '../../../src/rest/contract.ts'

describe('an operation in the contract is read', () => {
  const operations = new Map(readContract().operations.map((operation) => [operation.id, operation]))

  it('with its query parameters, and the page size that both APIs have', () => {
    const { maximum, default: size } = PAGE_SIZE
    const properties = operations.get('listPets')?.querySchema.properties ?? {}
    expect(Object.keys(properties)).toEqual(['limit', 'status', 'after'])
    expect(properties.limit).toMatchObject({ minimum: 1, maximum, default: size })
    expect(operations.get('getPet')?.querySchema).toEqual({ type: 'object', required: [], properties: {} })
  })

  it('with its references resolved', () => {
    expect(JSON.stringify([...operations.values()])).not.toContain('$ref')
  })

  it('with its body, if it has one', () => {
    expect(operations.get('createPet')?.bodySchema?.type).toBe('object')
    expect(operations.get('listPets')?.bodySchema).toBeNull()
  })

  it('with its deprecation, if it is deprecated', () => {
    const deprecation = { sunset: new Date('2030-12-05'), successor: '/pets' }
    expect(operations.get('getPet')?.deprecation).toMatchObject(deprecation)
    expect(operations.get('listPets')?.deprecation).toBeNull()
  })
})

describe('the published contract', () => {
  const contract = readContract()
  const addresses = { production: 'https://a/v1', staging: 'https://b/v1', graphiql: 'https://a/graphql' }

  it('has the addresses of its servers', () => {
    expect(publishContract(contract, petOperations, addresses, []).servers).toEqual([
      { url: 'https://a/v1', description: 'Production' },
      { url: 'https://b/v1', description: 'Staging' },
    ])
    expect(
      publishContract(contract, petOperations, { ...addresses, production: null, staging: null }, []).servers,
    ).toEqual([{ url: '/v1', description: 'This server' }])
  })

  it('begins with what it is, as people expect who open it', () => {
    const published = Object.keys(publishContract(contract, petOperations, addresses, []))
    expect(published).toEqual(Object.keys(contract.document))
    expect(published.slice(0, 2)).toEqual(['openapi', 'info'])
    expect(Object.keys(publishContract(contract, petOperations, addresses, ['getPet']))).toEqual(published)
  })

  it('links each operation to its GraphQL equivalent, with variables', () => {
    const { paths } = publishContract(contract, petOperations, addresses, [])
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, description, ...rest }] of Object.entries(methods)) {
        const [, address = ''] =
          new RegExp(`\\[${operationId}\\]\\((.*)\\) in GraphiQL\\.$`).exec(description) ?? []
        const { origin, pathname, searchParams } = new URL(address)
        expect(origin + pathname).toBe('https://a/graphql')
        expect(searchParams.get('query')).toMatch(new RegExp(`(query|mutation) ${operationId}\\(`))
        expect(JSON.parse(searchParams.get('variables') ?? '')).not.toEqual({})
        expect(contract.document.paths[path]?.[method]).toMatchObject(rest)
      }
    }
  })

  it('has no links if GraphiQL is not served', () => {
    const published = publishContract(contract, petOperations, { ...addresses, graphiql: null }, [])
    expect(published.paths).toEqual(contract.document.paths)
  })
})
