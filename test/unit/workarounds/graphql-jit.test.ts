/** How graphql-jit differs from graphql-js. When one of these tests fails, that has been fixed, and its workaround can be removed. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type ArgumentNode,
  assertEnumType,
  buildSchema,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  parse,
  visit,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { expect, it } from 'vitest'
import { createCompiler } from '../../../src/workarounds/graphql-jit.ts'

const schema = buildSchema(`
  type Query { ask(by: By): String, askOne(one: Int! = 1): String }
  input By { a: Int }`)

/** Executes a query with both. @returns the arguments that the resolver gets, or the error */
async function ask(query: string, variables: object) {
  const seen: unknown[] = []
  const field = schema.getQueryType()?.getFields().ask
  if (field) field.resolve = (_source, args) => void seen.push(args)
  const document = parse(query)
  const variableValues = { ...variables }
  const jit = compileQuery(schema, document)
  if (!isCompiledQuery(jit)) throw new Error('It is not compiled')
  const results = [
    await execute({ schema, document, variableValues }),
    await jit.query({}, {}, variableValues),
  ]
  return {
    seen: JSON.parse(JSON.stringify(seen)) as unknown[],
    errors: results.map(({ errors }) => errors?.[0]),
  }
}

it('a variable that is not sent is null inside an object or a list', async () => {
  expect((await ask('query ($a: Int) { ask(by: {a: $a}) }', {})).seen).toEqual([
    { by: {} },
    { by: { a: null } },
  ])
})

it('a null instead of the default of a variable is no error, or another one', async () => {
  const { errors } = await ask('query ($one: Int = 1) { askOne(one: $one) }', { one: null })
  expect(errors[0]).toBeInstanceOf(GraphQLError)
  expect(errors[1]?.message).not.toBe(errors[0]?.message)
})

it('its errors have neither nodes nor extensions', async () => {
  const { errors } = await ask('query ($one: Int!) { askOne(one: $one) }', { one: 'x' })
  expect(errors.map((error) => error?.extensions)).toEqual([{}, undefined])
  expect(errors.map((error) => error?.nodes?.length)).toEqual([1, undefined])
})

it.each([
  ['a field with a directive that is selected twice', '{ ask @include(if: false) a: ask ask }', ['a', 'ask']],
  ['a response key that begins with `__`', '{ __proto__: ask a: ask }', ['__proto__', 'a']],
])('%s may have another position in the response', async (_, query, keys) => {
  const document = parse(query)
  const jit = compileQuery(schema, document)
  if (!isCompiledQuery(jit)) throw new Error('It is not compiled')
  const results = [await execute({ schema, document }), await jit.query({}, {}, {})]
  expect(results.map(({ data }) => Object.keys(data ?? {}))).toEqual([keys, keys.toReversed()])
})

it('it coerces a value that graphql-js has coerced', async () => {
  const ofKinds = buildSchema('type Query { askKind(kind: Kind): String } enum Kind { A }')
  const kind = assertEnumType(ofKinds.getType('Kind')).getValue('A')
  if (kind) kind.value = 'a'
  const jit = compileQuery(ofKinds, parse('query ($kind: Kind) { askKind(kind: $kind) }'))
  if (!isCompiledQuery(jit)) throw new Error('It is not compiled')
  expect((await jit.query({}, {}, { kind: 'a' })).errors).toHaveLength(1)
})

/** The results of a query by graphql-js and by graphql-jit. @param resolvers those of the fields of Query */
async function executeBoth(
  sdl: string,
  query: string,
  resolvers: Record<string, { resolve: GraphQLFieldResolver<unknown, unknown> }>,
) {
  const schema = buildSchema(sdl)
  const fields = schema.getQueryType()?.getFields() ?? {}
  for (const [name, { resolve }] of Object.entries(resolvers)) Object.assign(fields[name] ?? {}, { resolve })
  const document = parse(query)
  const jit = compileQuery(schema, document)
  if (!isCompiledQuery(jit)) throw new Error('It is not compiled')
  const results = [await execute({ schema, document }), await jit.query({}, {}, {})]
  return results.map(({ data, errors = [] }) => ({
    data: JSON.parse(JSON.stringify(data ?? null)) as unknown,
    errors: errors.length,
  }))
}

it('in a list of promises, one that is rejected late adds a null at the end', async () => {
  const reject = async () => {
    await nextTurn()
    throw new Error('no')
  }
  const list = { resolve: () => [reject(), Promise.resolve('b')] }
  const results = await executeBoth('type Query { list: [String] }', '{ list }', { list })
  expect(results.map(({ data }) => data)).toEqual([{ list: [null, 'b'] }, { list: [null, 'b', null] }])
})

it('of several errors below a field that becomes null for them, it reports all, graphql-js the first', async () => {
  const fail = () => Promise.reject(new Error('no'))
  const sdl = 'type Query { item: Item } type Item { a: String! b: String! }'
  const item = { resolve: () => ({ a: fail, b: fail }) }
  const results = await executeBoth(sdl, '{ item { a b } }', { item })
  expect(results.map(({ errors }) => errors)).toEqual([1, 2])
})

it('it knows no default of an argument that is a literal', async () => {
  const seen: unknown[] = []
  const one = { resolve: (_: unknown, args: object) => void seen.push({ ...args }) }
  await executeBoth('type Query { one(value: Int = 1): String }', '{ one }', { one })
  expect(seen).toEqual([{ value: 1 }, {}])
})

it('a program gets the values of all arguments as they are', async () => {
  const seen: unknown[] = []
  const fields = schema.getQueryType()?.getFields() ?? {}
  for (const name of ['ask', 'askOne']) {
    const field = fields[name]
    if (field) field.resolve = (_source, args) => void seen.push(args)
  }
  const document = parse('query ($one: Int! = 5) { askOne(one: $one) ask(by: {a: 1}) }')
  const args: ArgumentNode[] = []
  visit(document, { Argument: (node) => void args.push(node) })
  const execute = createCompiler(schema)(document)
  const value = { any: ['value'] }
  for (const values of [[7, value], [8, null], [9]])
    await execute?.({}, new Map(args.slice(0, values.length).map((node, index) => [node, values[index]])))
  expect(seen).toEqual([{ one: 7 }, { by: value }, { one: 8 }, { by: null }, { one: 9 }, {}])
})

it.each<[boolean, unknown]>([
  [true, '1'],
  [false, 1n],
])('it cannot compile a literal whose value is a bigint: %s, %s', (isCompiled, value) => {
  const Big = new GraphQLScalarType({
    name: 'Big',
    coerceInputLiteral: () => value,
    coerceInputValue: () => value,
  })
  const echo = { type: GraphQLString, args: { big: { type: Big } } }
  const withBig = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { echo } }) })
  expect(isCompiledQuery(compileQuery(withBig, parse('{ echo(big: 1) }')))).toBe(isCompiled)
})
