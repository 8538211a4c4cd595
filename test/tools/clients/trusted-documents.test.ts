/** Apollo Client sends the ids of trusted documents, set up as in examples/. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { CreatePetDocument, PetsDocument } from '../../../examples/graphql-clients/generated/graphql.ts'
import { createTrustedApolloClient } from '../../../examples/graphql-clients/trusted.ts'
import { useDirectory } from '../../support/directory.ts'
import { ROOT } from '../../support/process.ts'
import { KEY, useService } from '../../support/service.ts'

const manifest = join(useDirectory(), 'trusted-documents.json')
beforeAll(async () => {
  const args = ['codegen.ts', '--trust', manifest, 'examples/graphql-clients/pets.graphql']
  await promisify(execFile)(process.execPath, args, { cwd: ROOT })
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
