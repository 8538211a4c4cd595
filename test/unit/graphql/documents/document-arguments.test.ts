/** Random documents: with the leaves of another text of its shape, a document is what the parser makes of that text. */
import fc from 'fast-check'
import { buildSchema, parse, print } from 'graphql'
import { expect, it } from 'vitest'
import {
  ArgumentLiterals,
  haveLeaves,
  listArguments,
} from '../../../../src/graphql/documents/document-arguments.ts'
import { DocumentSource } from '../../../../src/graphql/documents/document-source.ts'
import { schema } from '../../../../src/server/schema.ts'
import { chooseBy, randomQuery } from '../../../support/random-documents.ts'
import { seed } from '../../../support/seed.ts'

/** The text with its leaves replaced by numbers, each of which is different. */
function numberLeaves({ text, leaves }: DocumentSource): string {
  return leaves.reduceRight(
    (changed, { start, end }, index) => `${changed.slice(0, start)}${index + 1_000}${changed.slice(end)}`,
    text,
  )
}

it(`the values of a document are those of the text that they come from (SEED=${seed})`, () => {
  let count = 0
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const source = new DocumentSource(randomQuery(schema, chooseBy(g)).query)
      const other = new DocumentSource(numberLeaves(source))
      const tree = parse(source.text)
      const args = listArguments(schema, tree)
      expect(haveLeaves(args, source.leaves), source.text).toBe(true)
      expect(new ArgumentLiterals(args).putInto(tree)).toBe(tree)
      const values = new ArgumentLiterals(args, other.leaves)
      expect(print(values.putInto(tree))).toBe(print(parse(other.text)))
      const nodes = args.map(({ node }) => print(values.of(node)))
      const expected = listArguments(schema, parse(other.text)).map(({ node }) => print(node.value))
      expect(nodes).toEqual(expected)
      count += source.leaves.length
    }),
    { seed, numRuns: 200 },
  )
  expect(count).toBeGreaterThan(0)
})

it('a document does not have the leaves of another text, nor fewer, nor more', () => {
  const source = new DocumentSource('{ pets(first: 1, filter: {status: [sold]}) { totalCount } }')
  const args = listArguments(schema, parse(source.text))
  const others = new DocumentSource('{ pets(first: 10, filter: {status: [sold]}) { totalCount } }')
  const [first, second] = source.leaves
  if (!first || !second) return expect.unreachable('it has two leaves')
  expect(haveLeaves(args, source.leaves)).toBe(true)
  const lists = [others.leaves, [first], [second, first], [first, second, second]]
  expect(lists.map((leaves) => haveLeaves(args, leaves))).toEqual([false, false, false, false])
})

it('values are coerced, each for its argument, without those that are absent', () => {
  const of = buildSchema('type Query { sum(one: Int, all: [Int!], other: Int = 7): Int }')
  const text = 'query ($a: Int, $b: Int) { sum(other: 3, all: [1, $b], one: $a) }'
  const args = listArguments(of, parse(text))
  const coerce = (coerced: Record<string, unknown>, leaves?: DocumentSource['leaves']) => {
    const values = new ArgumentLiterals(args, leaves).coerce({ sources: {}, coerced })
    return values && Object.fromEntries(Array.from(values, ([node, value]) => [node.name.value, value]))
  }
  expect(coerce({ b: 2 })).toEqual({ other: 3, all: [1, 2] })
  const { leaves } = new DocumentSource(text.replace('3', '5').replace('1', '4'))
  expect(coerce({ a: 9, b: 2 }, leaves)).toEqual({ other: 5, all: [4, 2], one: 9 })
  expect(coerce({ a: 9 })).toBeNull()
})

it('an argument may be absent with its variable, but not if it must not be null', () => {
  const of = buildSchema('type Query { sum(one: Int, other: Int = 7, all: Int! = 5): Int }')
  const coerce = (name: string, value: string) => {
    const args = listArguments(of, parse(`query ($a: Int) { sum(${name}: ${value}) }`))
    return new ArgumentLiterals(args).coerce({ sources: {}, coerced: {} })?.size
  }
  expect([coerce('one', '$a'), coerce('other', '$a'), coerce('all', '$a')]).toEqual([0, 0, undefined])
})

it('a document takes no leaves of another shape', () => {
  const { text, leaves } = new DocumentSource('{ pets(first: 1, filter: {status: [sold]}) { totalCount } }')
  const args = listArguments(schema, parse(text))
  for (const others of [leaves.slice(1), [...leaves, ...leaves]])
    expect(() => new ArgumentLiterals(args, others)).toThrow('another shape')
})
