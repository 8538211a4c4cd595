/** Everything that frontend developers see in the GraphQL schema has a description. */
import { type ASTNode, isTypeDefinitionNode, Kind, parse, printSchema, visit } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../src/server/schema.ts'

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
