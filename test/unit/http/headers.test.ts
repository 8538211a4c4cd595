import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { acceptedTypes, addVary, valuesOf } from '../../../src/http/headers.ts'

const TYPES = ['application/json', 'application/graphql-response+json', 'text/html']

describe('the accepted types', () => {
  it.each<[string | undefined, string[]]>([
    [undefined, TYPES],
    ['', TYPES],
    ['*/*', TYPES],
    ['text/html, application/json;q=0.9', ['text/html', 'application/json']],
    ['application/json;q=0.9, text/html', ['text/html', 'application/json']],
    ['application/*', ['application/json', 'application/graphql-response+json']],
    ['*/*;q=0.1, text/html', ['text/html', 'application/json', 'application/graphql-response+json']],
    ['application/json;v="1,2;q=0";q=0.5', ['application/json']],
    ['APPLICATION/JSON; charset=utf-8', ['application/json']],
    ['application/json; Q=0', []],
    ['*/*;q=0', []],
    ['text/plain', []],
  ])('of %j are %j', (accept, types) => expect(acceptedTypes(accept, TYPES)).toEqual(types))

  it('are none if the header is too long to be read', () => {
    const accept = (length: number) => 'text/html'.padEnd(length, ',a/b')
    expect(acceptedTypes(accept(1_000), TYPES)).toEqual(['text/html'])
    expect(acceptedTypes(accept(1_001), TYPES)).toEqual([])
  })
})

it('Vary keeps its existing names', async () => {
  const app = Fastify()
  app.get('/', async (_, reply) => {
    addVary(reply, 'Accept')
    addVary(reply, 'Authorization, Origin')
    return {}
  })
  expect((await app.inject('/')).headers.vary).toBe('Accept, Authorization, Origin')
})

it.each([
  ['one', ['Host', 'a.example', 'Accept', '*/*'], ['a.example']],
  [
    'several, in any case and in order',
    ['host', 'a', 'X', 'host', 'HOST', 'b', 'Host', 'c'],
    ['a', 'b', 'c'],
  ],
  ['an empty one', ['Host', ''], ['']],
  ['none, if only a value has that name', ['X', 'host'], []],
  ['none without headers', [], []],
])('the values of a header: %s', (_, rawHeaders, expected) => {
  expect(valuesOf({ rawHeaders }, 'host')).toEqual(expected)
})
