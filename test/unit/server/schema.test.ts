/** Everything that frontend developers see in the GraphQL schema has a description. */
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../src/server/schema.ts'

/** A part of the schema by its coordinate, as in the GraphQL specification: `Query.pets(first:)`. */
type Part = [coordinate: string, description: string]

function listParts(of: GraphQLSchema): Part[] {
  return Object.values(of.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type): Part[] => [[type.name, type.description ?? ''], ...listMembers(type)])
}

function listMembers(type: GraphQLNamedType): Part[] {
  const toPart = ({ name, description }: { name: string; description?: string | null | undefined }): Part => [
    `${type.name}.${name}`,
    description ?? '',
  ]
  if (isEnumType(type)) return type.getValues().map(toPart)
  if (isInputObjectType(type)) return Object.values(type.getFields()).map(toPart)
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [
    toPart(field),
    ...field.args.map(({ name, description }): Part => [
      `${type.name}.${field.name}(${name}:)`,
      description ?? '',
    ]),
  ])
}

const parts = listParts(schema)
/** Scalars, cursors, filters and mutations. */
const withExample = /^Int64$|cursor$|\((after|before|filter):\)$|^PetFilter\b|^Mutation\.\w+$/i

it.each(parts)('%s has a description of whole sentences', (_, description) => {
  expect(description).toMatch(/^[A-Z].*\.$/s)
})

it.each(parts.filter(([coordinate]) => withExample.test(coordinate)))(
  'the description of %s has an example',
  (_, description) => expect(description).toMatch(/`.+`/),
)

it('parts of every kind are found', () => {
  const sdl = `
    type Query implements Node { id(short: Boolean): ID, pet(id: ID): Pet, colour(of: Filter): Colour, day: Date }
    interface Node { id(short: Boolean): ID } union Pet = Query enum Colour { red } input Filter { by: ID } scalar Date`
  const found = listParts(buildSchema(sdl))
  expect(found.map(([coordinate]) => coordinate).sort()).toEqual(
    [
      ...['Query', 'Query.id', 'Query.id(short:)', 'Query.pet', 'Query.pet(id:)', 'Query.colour'],
      ...['Query.colour(of:)', 'Query.day', 'Node', 'Node.id', 'Node.id(short:)', 'Pet', 'Colour'],
      ...['Colour.red', 'Filter', 'Filter.by', 'Date'],
    ].sort(),
  )
})
