/** The two contracts and the database agree. */
import { readFileSync } from 'node:fs'
import { isEnumType, Kind, parse } from 'graphql'
import { expect, it } from 'vitest'
import { petStatus } from '../../src/pets/table.ts'
import { catalogue } from '../../src/base/errors.ts'
import { schema } from '../../src/server/schema.ts'
import { readContract } from '../../src/rest/contract.ts'

const contract = readContract()
const { components } = contract.document as unknown as {
  components: {
    schemas: {
      PetStatus: { enum: string[] }
      Error: { properties: { code: { description: string } } }
    }
  }
}

it('each REST operation is a GraphQL operation of the same name', () => {
  const file = new URL('../../schema/operations.graphql', import.meta.url)
  const names = parse(readFileSync(file, 'utf8')).definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [node.name?.value] : [],
  )
  expect(names.sort()).toEqual(contract.operations.map(({ id }) => id).sort())
})

it('Postgres, the GraphQL schema and the REST contract have the same pet statuses', () => {
  const graphqlType = schema.getType('PetStatus')
  expect(isEnumType(graphqlType) && graphqlType.getValues().map(({ name }) => name)).toEqual(
    petStatus.enumValues,
  )
  expect(components.schemas.PetStatus.enum).toEqual(petStatus.enumValues)
})

it('the REST contract lists every error code, and no others', () => {
  const named = components.schemas.Error.properties.code.description.match(/\b[A-Z][A-Z_]+\b/g)
  expect([...new Set(named)].sort()).toEqual(Object.keys(catalogue).sort())
})
