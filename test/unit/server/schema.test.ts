/** Everything that frontend developers see in the GraphQL schema has a description. */
import {
  type ASTNode,
  buildSchema,
  getNamedType,
  type GraphQLSchema,
  isCompositeType,
  isNonNullType,
  isObjectType,
  isTypeDefinitionNode,
  Kind,
  parse,
  printSchema,
  visit,
} from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../src/server/schema.ts'
import { fieldsOf } from '../support/schema-fields.ts'

const isPart = (node: ASTNode) =>
  isTypeDefinitionNode(node) ||
  node.kind === Kind.FIELD_DEFINITION ||
  node.kind === Kind.INPUT_VALUE_DEFINITION ||
  node.kind === Kind.ENUM_VALUE_DEFINITION

/** Each part of the schema by the names that lead to it, such as `Query nodes first`, with its description. */
const parts: [names: string, description: string][] = []
const names: string[] = []
visit(parse(printSchema(schema)), {
  enter(node) {
    if (!isPart(node)) return
    names.push(node.name.value)
    parts.push([names.join(' '), node.description?.value ?? ''])
  },
  leave(node) {
    if (isPart(node)) names.pop()
  },
})
/** Scalars, cursors, filters and mutations. */
const withExample = /^Int64$|cursor$| (after|before|filter)$|^\w+Filter\b|^Mutation \w+$/i

it.each(parts)('%s has a description of whole sentences', (_, description) => {
  expect(description).toMatch(/^[A-Z].*\.$/s)
})

it.each(parts.filter(([names]) => withExample.test(names)))(
  'the description of %s has an example',
  (_, description) => expect(description).toMatch(/`.+`/),
)

/**
 * The fields that must not be null and can fail, since they have arguments or lead to objects, although a field above them may be null.
 * graphql-jit answers two such errors otherwise than graphql-js (workarounds/graphql-jit.ts).
 */
function findFallible(schema: GraphQLSchema): string[] {
  const objects = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type))
    .filter(({ name }) => !name.startsWith('__'))
  /** The types of the fields that may be null, or whose items may. */
  const nullable = new Set<string>()
  for (const object of objects)
    for (const { type } of Object.values(object.getFields()))
      if (!/!$/.test(String(type)) || /\w\]/.test(String(type))) nullable.add(getNamedType(type).name)
  return objects.flatMap((object) => {
    const names = [object, ...object.getInterfaces()].map(({ name }) => name)
    if (!names.some((name) => nullable.has(name))) return []
    return Object.values(object.getFields())
      .filter(
        ({ type, args }) => isNonNullType(type) && (args.length > 0 || isCompositeType(getNamedType(type))),
      )
      .map(({ name }) => `${object.name}.${name}`)
  })
}

it('what must not be null and can fail is not below what may be null', () => {
  const faulty = buildSchema(`
    type Query { one: A, some: [B]!, all: C! }
    type A { id: ID!, c: C!, b: B, count: Int! }
    type B { many(first: Int): [ID!]! }
    type C { a: A!, d: D! }
    type D { c: C! }`)
  expect(findFallible(faulty)).toEqual(['A.c', 'B.many'])
  expect(findFallible(schema)).toEqual([])
})

// graphql-jit does not know it, so the argument would be absent (workarounds/graphql-jit.ts).
it('no default of an argument is a literal', () => {
  const findLiterals = (schema: GraphQLSchema) =>
    fieldsOf(schema)
      .filter(({ field }) => field.args.some((argument) => argument.default?.literal))
      .map(({ path }) => path)
  expect(findLiterals(buildSchema('type Query { one(size: Int = 1): Int }'))).toEqual(['Query.one'])
  expect(findLiterals(schema)).toEqual([])
})
