/** What holds the two contracts, the code and what is generated from it together. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { listBreakingChanges } from '../../schema/breaking-changes.ts'
import { petStatus } from '../../src/db/tables.ts'
import { catalogue } from '../../src/errors.ts'
import { prepareOperation } from '../../src/graphql/engine.ts'
import { schema } from '../../src/graphql/schema.ts'
import { readContract } from '../../src/rest/contract.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

describe('generated files', () => {
  it('are up to date: SDL, operations, REST types', async () => {
    await run(process.execPath, ['codegen.ts', '--check'], { cwd: root })
  })

  it('are up to date: migrations', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'pet-store-drizzle-'))
    cpSync(join(root, 'drizzle'), copy, { recursive: true })
    const before = readdirSync(copy)
    const kit = join(root, 'node_modules', 'drizzle-kit', 'bin.cjs')
    await run(
      process.execPath,
      [kit, 'generate', '--dialect', 'postgresql', '--schema', 'src/db/tables.ts', '--out', copy],
      { cwd: root },
    )
    expect(readdirSync(copy)).toEqual(before)
    rmSync(copy, { recursive: true })
  })
})

describe('documents', () => {
  it('one operation of the contract is one GraphQL operation of the same name', () => {
    const { definitions } = parse(readFileSync(join(root, 'schema', 'operations.graphql'), 'utf8'))
    const names = definitions.flatMap((node) =>
      node.kind === 'OperationDefinition' ? [node.name?.value] : [],
    )
    expect(names.sort()).toEqual(
      readContract()
        .operations.map(({ id }) => id)
        .sort(),
    )
  })

  it('one that does not fit the schema is refused, with the reason', () => {
    expect(() => prepareOperation(schema, parse('{ pets { nodes { wings } } }'))).toThrow(
      /Cannot query field "wings"/,
    )
  })
})

describe('changes of the graph', () => {
  const sdl = 'type Query { pets(first: Int): Int! status: Status } enum Status { available sold }'

  it.each([
    ['a field that is gone', 'status: Status', '', 1],
    ['a field that may be null', 'Int!', 'Int', 1],
    ['an argument that is required', 'first: Int', 'first: Int!', 1],
    ['an enum value that is gone', 'available sold', 'sold', 1],
    ['a new field', 'type Query {', 'type Query { age: Int', 0],
    ['a new argument that is optional', 'first: Int', 'first: Int, last: Int', 0],
  ])('%s: breaks clients, or not', async (_, part, replacement, expected) => {
    expect(await listBreakingChanges(sdl, sdl.replace(part, replacement))).toHaveLength(expected)
  })
})

describe('vocabularies', () => {
  it('the statuses are the same in SQL, the graph and the contract', () => {
    const graph = schema.getType('PetStatus')
    const { components } = readContract().document as unknown as {
      components: { schemas: { PetStatus: { enum: string[] } } }
    }
    expect(isEnumType(graph) && graph.getValues().map(({ name }) => name)).toEqual(petStatus.enumValues)
    expect(components.schemas.PetStatus.enum).toEqual(petStatus.enumValues)
  })

  it('every error code is named in the contract, and none but those', () => {
    const { components } = readContract().document as unknown as {
      components: { schemas: { Error: { properties: { code: { description: string } } } } }
    }
    const named = components.schemas.Error.properties.code.description.match(/\b[A-Z][A-Z_]+\b/g)
    expect([...new Set(named)].sort()).toEqual(Object.keys(catalogue).sort())
  })
})

describe('descriptions', () => {
  type Described = [name: string, description: string | null | undefined]
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  )

  it.each(types.flatMap(listDescriptions))('%s has one, with an example', (_, description) => {
    expect(description).toMatch(/^[A-Z].*`.+`.*\.$/s)
  })

  function listDescriptions(type: GraphQLNamedType): Described[] {
    const members = isEnumType(type)
      ? type.getValues()
      : isInputObjectType(type)
        ? Object.values(type.getFields())
        : isObjectType(type)
          ? Object.values(type.getFields()).flatMap((field) => [field, ...field.args])
          : []
    const described = members.map(({ name, description }): Described => [`${type.name}.${name}`, description])
    return [[type.name, type.description], ...described]
  }
})
