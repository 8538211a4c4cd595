import { parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { mayBeCompiled } from '../../../../src/graphql/documents/may-be-compiled.ts'
import { measureOperations } from '../../../../src/graphql/limits/document-size.ts'
import { mapFragments } from '../../../../src/graphql/limits/fragments.ts'
import { schema } from '../../../../src/server/schema.ts'
import { createCompiler } from '../../../../src/workarounds/graphql-jit.ts'

const compile = createCompiler(schema)

/** Whether a document may be compiled; graphql-jit then can. */
function isCompilable(text: string): boolean {
  const tree = parse(text)
  expect(validate(schema, tree)).toEqual([])
  const isAllowed = mayBeCompiled(tree, measureOperations(tree, mapFragments(tree)))
  if (isAllowed) expect(compile(tree)).not.toBeNull()
  return isAllowed
}

describe('a document may not be compiled with', () => {
  it.each([
    ['a mutation of two fields', 'mutation { a: deletePet(id: 1) { id } b: deletePet(id: 2) { id } }'],
    ['a mutation with a fragment', 'mutation { ...F } fragment F on Mutation { deletePet(id: 1) { id } }'],
    ['a subscription', 'subscription { petChanged { kind } }'],
    ['two queries', 'query A { pet(id: 1) { id } } query B { pet(id: 2) { id } }'],
    ['a query and a mutation', 'query A { pet(id: 1) { id } } mutation B { deletePet(id: 2) { id } }'],
    ['six directives', `{ pet(id: 1) { ${'abcdef'.replaceAll(/./g, '$&: id @skip(if: false) ')} } }`],
    ['a directive of a field that comes twice', '{ pet(id: 1) { id @skip(if: false) name id } }'],
    ['a directive beside a fragment', '{ pet(id: 1) { id @skip(if: false) ... { id } } }'],
    ['a directive of a fragment', '{ pet(id: 1) { ...F @include(if: true) } } fragment F on Pet { id }'],
    ['a directive of an inline fragment', '{ pet(id: 1) { ... @include(if: true) { id } } }'],
    ['a directive in a fragment', '{ pet(id: 1) { ...F } } fragment F on Pet { id @skip(if: false) }'],
    ['introspection of the schema', '{ __schema { queryType { name } } }'],
    ['more than 500 fields, by fragments that double five times', `{ pet(id: 1) { ...F0 } } ${doubling(5)}`],
    ['introspection of a type', '{ pet(id: 1) { id } a: __type(name: "Pet") { name } }'],
    ['a variable whose name begins with __', 'query ($__x: ID!) { pet(id: $__x) { id } }'],
    ['an alias that begins with __', '{ __x: pet(id: 1) { id } }'],
    ['an alias of __typename that begins with __', '{ pet(id: 1) { __constructor: __typename } }'],
  ])('%s', (_, text) => expect(isCompilable(text)).toBe(false))

  function doubling(levels: number): string {
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on Pet { ...F${level + 1} ...F${level + 1} }`,
    )
    return `${fragments.join(' ')} fragment F${levels} on Pet { ${'id '.repeat(16)} }`
  }
})

it('a document may be compiled with five directives', () => {
  const fields = 'abcde'.replaceAll(/./g, '$&: id @skip(if: false) ')
  expect(isCompilable(`{ pet(id: "1") { ${fields} } }`)).toBe(true)
})

describe('a document may be compiled with 500 fields, and not with 501', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}: id`).join(' ')

  it.each<[string, (count: number) => string]>([
    ['of a page of any size', (count) => `{ pets(first: 100) { nodes { ${fields(count - 2)} } } }`],
    [
      'in a fragment, each time it is used',
      (count) =>
        `{ a: pet(id: 1) { ...F ...F ${fields(count - 497)} } } fragment F on Pet { ${fields(248)} }`,
    ],
  ])('%s', (_, text) => {
    expect([isCompilable(text(500)), isCompilable(text(501))]).toEqual([true, false])
  })
})
