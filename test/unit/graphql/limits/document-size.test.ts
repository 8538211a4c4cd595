import { type DocumentNode, Kind, parse } from 'graphql'
import { expect, it } from 'vitest'
import { measureOperations, type OperationSize } from '../../../../src/graphql/limits/document-size.ts'
import { mapFragments } from '../../../../src/graphql/limits/fragments.ts'

function measure(document: DocumentNode): OperationSize[] {
  return [...measureOperations(document, mapFragments(document)).values()]
}

it.each<[string, Partial<OperationSize>]>([
  ['{ long: __typename }', { fields: 1, depth: 1, aliases: 1, directives: 0 }],
  ['{ __typename pets { pageInfo { endCursor } totalCount } }', { fields: 5, depth: 3, aliases: 0 }],
  ['{ ... { ... { a: __typename } } }', { fields: 1, depth: 1, aliases: 1 }],
  ['{ pets { ...C } } fragment C on PetConnection { edges { node { id } } }', { fields: 4, depth: 4 }],
  ['{ pet(id: 1) { ...F ...F ... { id } } } fragment F on Pet { id name }', { fields: 6, depth: 2 }],
  [
    'query A @a @b { pet(id: 1) @c { id @d ... @e { name } ...F @f } } fragment F on Pet @g @h { status @i }',
    { depth: 2, aliases: 0, directives: 9 },
  ],
  ['{ pet(id: 1) { ...F ...F } } fragment F on Pet @a { x: status @b }', { aliases: 2, directives: 4 }],
  ['{ pets(first: 7) { nodes { long: id @skip(if: false) } } }', { fields: 3, aliases: 1, directives: 1 }],
  // Documents that are not valid have a size, too.
  ['{ colour { red { dark } } }', { fields: 3, depth: 3 }],
  ['{ pet(id: 1) { ...F } }', { fields: 1 }],
  ['{ pet(id: 1) { ...F } } fragment F on Pet { id ...F }', { fields: 2 }],
  ['{ pet(id: 1) { ...F } } fragment F on Pet { id ...G } fragment G on Pet { name ...F }', { fields: 3 }],
])('a document has the size of what it stands for: %s', (text, expected) =>
  expect(measure(parse(text))).toMatchObject([expected]),
)

it('a fragment counts each time that it is used, and is read once', () => {
  const levels = Array.from(
    { length: 5 },
    (_, level) => `fragment F${level} on Pet { ...F${level + 1} ...F${level + 1} }`,
  )
  const text = `{ pet(id: 1) { ...F0 } } ${levels.join(' ')} fragment F5 on Pet { a: id @include(if: true) }`
  const document = parse(text)
  const last = document.definitions.at(-1)
  if (last?.kind !== Kind.FRAGMENT_DEFINITION) return expect.unreachable('it is a fragment')
  let reads = 0
  const { selectionSet } = last
  Object.defineProperty(last, 'selectionSet', {
    get: () => {
      reads += 1
      return selectionSet
    },
  })
  const times = 2 ** 5
  expect(measure(document)).toEqual([{ depth: 2, fields: times + 1, aliases: times, directives: times }])
  expect(reads).toBe(1)
})

it('each operation of a document has a size of its own, with the fragments that it uses', () => {
  const text = 'query A { ...F } query B { pet(id: 1) { a: id } ...F } fragment F on Query { b: __typename }'
  expect(measure(parse(text))).toMatchObject([
    { fields: 1, depth: 1, aliases: 1 },
    { fields: 3, depth: 2, aliases: 2 },
  ])
})
