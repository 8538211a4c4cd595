/** Random documents: the leaves that are read from a text are those of its arguments. */
import fc from 'fast-check'
import { Kind, parse, type ValueNode, visit } from 'graphql'
import { expect, it } from 'vitest'
import { DocumentSource } from '../../../../src/graphql/documents/document-source.ts'
import { schema } from '../../../../src/server/schema.ts'
import { chooseBy, randomQuery } from '../../../support/random-documents.ts'
import { seed } from '../../../support/seed.ts'

const isLeaf = ({ kind }: ValueNode) => kind !== Kind.VARIABLE && kind !== Kind.LIST && kind !== Kind.OBJECT

/** The leaves of the arguments of fields, and of directives of what is selected, by the parser: their texts. */
function leavesByParser(text: string): string[] {
  const leaves: string[] = []
  visit(parse(text), {
    VariableDefinition: () => false,
    Argument({ value }) {
      const add = (node: ValueNode) => {
        if (isLeaf(node)) leaves.push(text.slice(node.loc?.start, node.loc?.end))
        if (node.kind === Kind.LIST) node.values.forEach(add)
        if (node.kind === Kind.OBJECT) for (const field of node.fields) add(field.value)
      }
      add(value)
      return false
    },
  })
  return leaves
}

it(`random documents have the leaves that the parser finds (SEED=${seed})`, () => {
  let count = 0
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const text = randomQuery(schema, chooseBy(g)).query.replaceAll(',', () =>
        chooseBy(g)(',', ' # (a: 1)\n'),
      )
      const { shape, leaves } = new DocumentSource(text)
      const texts = leaves.map(({ start, end }) => text.slice(start, end))
      expect(texts, text).toEqual(leavesByParser(text))
      let index = 0
      expect((shape ?? text).replaceAll('\0', () => texts[index++] ?? '')).toBe(text)
      count += leaves.length
    }),
    { seed, numRuns: 200 },
  )
  expect(count).toBeGreaterThan(0)
})

it('a position is moved by the leaves before it', () => {
  const [one, other] = ['{ a(b: "1", c: 2) }', '{ a(b: "long", c: 2) }']
  const move = (part: string) =>
    new DocumentSource(other).movePosition(one.indexOf(part), new DocumentSource(one))
  for (const part of ['a', '"1"', 'c', '2'])
    expect(move(part)).toBe(other.indexOf(part === '"1"' ? '"long"' : part))
})

it.each([
  ['no values', '{ pet { id } }', []],
  ['variables and their defaults', 'query A($a: Int = 1 @b(c: 2), $d: [Int] = [3]) { e(f: $a) }', []],
  ['descriptions', '"a" query A("b" $c: Int = 1 "(d: 2)" $e: Int) { f(g: $e, h: 3) }', ['3']],
  ['directives', 'query A @a(b: 1) { c @d(e: "f") { ...G @h(i: true) } }', ['"f"', 'true']],
  [
    'a text with what is no value',
    '{ a(b: "c: 1 # (d: 2)", e: """f " g: 3""") }',
    ['"c: 1 # (d: 2)"', '"""f " g: 3"""'],
  ],
  ['names that are values and names', '{ true(null: null, b: c) { on: d(e: {f: g}) } }', ['null', 'c', 'g']],
  ['comments between', '{ a(b: # c: 1\n 2 # )\n, d # :\n : e) }', ['2', 'e']],
  ['numbers of any form', '{ a(b: [1, -2.5e3, 0]) }', ['1', '-2.5e3', '0']],
  ['no end', '{ a(b: 1', ['1']],
  ['no token', '{ a(b: 1 ?', []],
])('a text with %s', (_, text, leaves) => {
  expect(new DocumentSource(text).leaves.map(({ start, end }) => text.slice(start, end))).toEqual(leaves)
})
