/** How graphql-jit differs from graphql-js. When one of these tests fails, that has been fixed, and its workaround can be removed. */
import { buildSchema, execute, GraphQLError, parse } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { expect, it } from 'vitest'
import { compileClientDocument } from '../../../src/workarounds/graphql-jit.ts'

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

it('a variable that is not sent is null inside an object', async () => {
  expect((await ask('query ($a: Int) { ask(by: {a: $a}) }', {})).seen).toEqual([
    { by: {} },
    { by: { a: null } },
  ])
})

it('a null instead of the default of a variable is no error for it, or another one', async () => {
  const { errors } = await ask('query ($one: Int = 1) { askOne(one: $one) }', { one: null })
  expect(errors[0]).toBeInstanceOf(GraphQLError)
  expect(errors[1]?.message).not.toBe(errors[0]?.message)
})

it('its errors have no extensions', async () => {
  const { errors } = await ask('query ($one: Int!) { askOne(one: $one) }', { one: 'x' })
  expect(errors.map((error) => error?.extensions)).toEqual([{}, undefined])
})

it('a field with a directive that is selected twice has another position in the answer', async () => {
  const document = parse('{ ask @include(if: false) a: ask ask }')
  const jit = compileQuery(schema, document)
  if (!isCompiledQuery(jit)) throw new Error('It is not compiled')
  const results = [await execute({ schema, document }), await jit.query({}, {}, {})]
  expect(results.map(({ data }) => Object.keys(data ?? {}))).toEqual([
    ['a', 'ask'],
    ['ask', 'a'],
  ])
})

it('a program has no defaults of variables, and names those that must not be null', async () => {
  const seen: unknown[] = []
  const field = schema.getQueryType()?.getFields().askOne
  if (field) field.resolve = (_source, args) => void seen.push(args)
  const document = parse('query ($one: Int! = 5, $by: By = {a: 1}) { askOne(one: $one) ask(by: $by) }')
  const program = compileClientDocument(schema, document)
  expect(program?.notNull).toEqual(['one', 'by'])
  await program?.execute({}, { one: 7 })
  await program?.execute({}, {})
  expect(seen).toEqual([{ one: 7 }])
})
