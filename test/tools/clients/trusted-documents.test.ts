/** Apollo Client sends the ids of trusted documents, set up as in examples/. */
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { print } from 'graphql'
import { beforeAll, expect, it } from 'vitest'
import { CreatePetDocument, PetsDocument } from '../../../examples/graphql-clients/generated/graphql.ts'
import { InMemoryCache } from '../../../examples/graphql-clients/node_modules/@apollo/client/cache/index.js'
import { createTrustedApolloClient } from '../../../examples/graphql-clients/trusted.ts'
import { useDirectory } from '../../support/directory.ts'
import { KEY, useService } from '../../support/service.ts'

const manifest = join(useDirectory(), 'persisted-query-manifest.json')
beforeAll(() => {
  // Apollo's generate-persisted-query-manifest prints what the cache makes of each document.
  const cache = new InMemoryCache()
  const operations = [PetsDocument, CreatePetDocument].map((document) => {
    const body = print(cache.transformDocument(document))
    return { id: hash('sha256', body), name: 'any', type: 'query', body }
  })
  writeFileSync(
    manifest,
    JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }),
  )
})
const strict = useService({ TRUSTED_DOCUMENTS: manifest, TRUSTED_DOCUMENTS_ONLY: 'true' })

it("the hash of Apollo Client's persisted-query link, which adds __typename, is known", async () => {
  const client = createTrustedApolloClient(`${strict.url}/graphql`, KEY)
  const { data } = await client.query({ query: PetsDocument, variables: { first: 1 } })
  expect(data).toMatchObject({ pets: { __typename: 'PetConnection' } })
  const variables = { input: { name: 'Rex', categoryId: '1' } }
  const { data: created } = await client.mutate({ mutation: CreatePetDocument, variables })
  expect(created).toMatchObject({ createPet: { name: 'Rex' } })
})
