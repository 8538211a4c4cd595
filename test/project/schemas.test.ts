/** The two contracts and the database agree. */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isEnumType, Kind, parse, printSchema, validate } from 'graphql'
import { expect, it } from 'vitest'
import { MAX_NAME_LENGTH, petStatus } from '../../src/pets/pet-resource.ts'
import { catalogue, type ErrorCode } from '../../src/base/error-catalogue.ts'
import { schema } from '../../src/server/schema.ts'
import { readContract } from '../../src/rest/contract.ts'
import { ROOT } from '../support/process.ts'

const contract = readContract()
const { info, components } = contract.document as unknown as {
  info: { description: string }
  components: {
    schemas: {
      PetStatus: { enum: string[] }
      NewPet: { properties: { name: { maxLength: number } } }
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

it.each(globSync('src/*/samples/*.graphql', { cwd: ROOT }))('%s fits the schema', (path) => {
  expect(validate(schema, parse(readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})

it('the SDL names no deprecated operation, so that it stays true when that is removed', () => {
  const sdl = printSchema(schema)
  const named = contract.operations.filter(({ id }) => sdl.includes(`REST equivalent: \`${id}\``))
  expect(named.map(({ id }) => id)).toEqual(
    contract.operations.filter(({ deprecation }) => !deprecation).map(({ id }) => id),
  )
})

it('Postgres, the GraphQL schema and the REST contract have the same pet statuses', () => {
  const graphqlType = schema.getType('PetStatus')
  expect(isEnumType(graphqlType) && graphqlType.getValues().map(({ name }) => name)).toEqual(
    petStatus.enumValues,
  )
  expect(components.schemas.PetStatus.enum).toEqual(petStatus.enumValues)
})

it('Postgres and the REST contract have names of the same length', () => {
  expect(components.schemas.NewPet.properties.name.maxLength).toBe(MAX_NAME_LENGTH)
})

it('drizzle-kit reads the tables: as CommonJS, in which import.meta is empty', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['node_modules/drizzle-kit/bin.cjs', 'export'],
    {
      cwd: ROOT,
    },
  )
  expect(stdout).toContain('CREATE TABLE "pets"')
})

it('the REST contract lists every error code with its status, and no others', () => {
  const { description } = info
  const rows = [...description.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| \S.*\|$/gm)]
  const [, graphqlOnly = ''] = /In GraphQL only: (.*?)\./s.exec(description) ?? []
  const inGraphqlOnly = graphqlOnly.match(/[A-Z_]{2,}/g) ?? []
  const named = [...rows.map(([, code = '']) => code), ...inGraphqlOnly]
  expect(named.sort()).toEqual(Object.keys(catalogue).sort())
  for (const [, code = '', status] of rows) {
    expect([code, catalogue[code as ErrorCode].status]).toEqual([code, Number(status)])
  }
})
