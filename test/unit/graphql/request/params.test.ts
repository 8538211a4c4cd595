import { describe, expect, it } from 'vitest'
import { readParams } from '../../../../src/graphql/request/params.ts'
import { throwIfRounded } from '../../../../src/graphql/variables/read-variables.ts'
import { listSentValues } from '../../../../src/graphql/request/sent-values.ts'
import { createContext } from '../../support/context.ts'
import { createFakeDatabase } from '../../support/database.ts'
import { createGraphqlClient } from '../../support/graphql-client.ts'

const get = (url: string) => readParams({ method: 'GET', url })
const post = (body?: string) => readParams({ method: 'POST', url: '/graphql?query=x', body })

describe('the parameters', () => {
  it.each([
    ['none', '/graphql', {}],
    ['of which some are empty', '/graphql?query=&operationName=&variables=&extensions=', {}],
    ['and others', '/graphql?query={a}&more=1', { query: '{a}' }],
    ['in a target that is a URL', 'http://host/graphql?query={a}', { query: '{a}' }],
    [
      'all',
      '/graphql?query={a}&operationName=A&variables={"b":1}&extensions={"c":2}&documentId=d',
      { query: '{a}', operationName: 'A', variables: { b: 1 }, extensions: { c: 2 }, documentId: 'd' },
    ],
    ['that have a question mark', '/graphql?query={a(b:"?")}', { query: '{a(b:"?")}' }],
    ['an empty id', '/graphql?documentId=', { documentId: '' }],
  ])('of a GET are in its URL: %s', (_, url, params) => {
    expect(get(url)).toEqual(params)
  })

  it('of a POST are in its body', () => {
    const params = { query: '{a}', variables: { b: null } }
    expect(post(JSON.stringify({ ...params, operationName: null, extensions: null }))).toEqual(params)
  })

  it.each(['', '{', 'null', '5', '"x"', '[]', '[{"query":"{a}"}]'])(
    'of a POST are an object, not %j',
    (body) => {
      expect(() => post(body)).toThrow(
        'The body must be a JSON object like {"query": "…"}. Batches are not supported.',
      )
    },
  )

  it('of a POST need a body', () => {
    expect(() => post()).toThrow('Send the body with Content-Type: application/json.')
  })

  it.each(['variables', 'extensions'])('of a GET have to be JSON: %s', (name) => {
    expect(() => get(`/graphql?${name}={`)).toThrow('The parameters must be JSON.')
  })

  it.each<object>([
    { query: 5 },
    { query: {} },
    { documentId: 5 },
    { operationName: ['A'] },
    { variables: '{}' },
    { variables: [] },
    { variables: false },
    { extensions: [] },
    { extensions: 'x' },
    { more: 1 },
    JSON.parse('{"__proto__": {}}') as object,
  ])('are texts and objects of known names: not %j', (params) => {
    expect(() => post(JSON.stringify({ query: '{a}', ...params }))).toThrow(
      'The parameters are query, documentId, operationName (strings) and variables, extensions (JSON objects).',
    )
  })
})

/** What is wrong with the values of a request; null: nothing. */
function findProblem(params: { variables?: unknown; extensions?: unknown }): string | null {
  try {
    const { variables } = post(JSON.stringify({ query: '{a}', ...params }))
    throwIfRounded(listSentValues('variables', variables))
    return null
  } catch (error) {
    return (error as Error).message
  }
}

describe('at most 1,000 values are allowed in', () => {
  const inList = (count: number) => Array.from({ length: count - 1 }, () => '')
  const kinds: [string, (count: number) => unknown][] = [
    ['a list', (count) => ({ a: inList(count) })],
    ['an object', (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [index, null]))],
    ['empty objects', (count) => ({ a: inList(count).map(() => ({})) })],
    [
      'what is nested',
      (count) => ({ a: Array.from({ length: count - 1 }).reduce<unknown>((inner) => [inner], {}) }),
    ],
    ['several lists', (count) => ({ a: inList(count - 500), b: inList(500) })],
  ]
  it.each(kinds)('%s', (_, create) => {
    for (const name of ['variables', 'extensions'])
      expect([1_000, 1_001].map((count) => findProblem({ [name]: create(count) }))).toEqual([
        null,
        `The ${name} must have at most 1000 values, including those in lists and objects.`,
      ])
  })
})

describe('a number that JSON has rounded', () => {
  const found = (path: string) =>
    `${path} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`

  it.each<[unknown, string]>([
    [{ id: 2 ** 53 }, 'id'],
    [{ id: -(2 ** 53) }, 'id'],
    [{ a: 1, b: { c: [1, { d: 2 ** 60 }] } }, 'b.c[1].d'],
    [{ 1: { 2: [[2 ** 53]] } }, '1.2[0][0]'],
  ])('is found in %j', (variables, path) => expect(findProblem({ variables })).toBe(found(path)))

  it.each([
    undefined,
    null,
    {},
    { id: 2 ** 53 - 1 },
    { id: -(2 ** 53) + 1 },
    { id: 1.5, text: '9'.repeat(20) },
    { list: [null] },
  ])('is not found in %j', (variables) => expect(findProblem({ variables })).toBeNull())

  it('is named, each of ten', async () => {
    const query = 'query ($ids: [ID!]!, $id: ID!) { nodes(ids: $ids) { id } pet(id: $id) { id } }'
    const ask = async (ids: unknown[]) => {
      const variables = { ids: [...ids, '1'], id: 2 ** 53 }
      const { body } = await createGraphqlClient().post({ query, variables })
      return body.errors?.[0]?.extensions.problems
    }
    const problems = ['id', 'ids[0]', 'ids[1]'].map((argument) => ({ argument }))
    expect(await ask([2 ** 53, 2 ** 60])).toMatchObject(problems)
    expect(await ask(Array(20).fill(2 ** 53))).toHaveLength(10)
  })

  it('is ignored in extensions, which nothing reads as a number', () => {
    expect(findProblem({ extensions: { id: 2 ** 60 } })).toBeNull()
  })

  it('is found below a long path, which is truncated', () => {
    const [name, longer] = ['x'.repeat(199), 'x'.repeat(200)]
    expect(findProblem({ variables: { [name]: { y: 2 ** 53 } } })).toBe(found(`${name}.y`))
    expect(findProblem({ variables: { [longer]: { y: 2 ** 53 } } })).toBe(found(`${longer}…`))
  })

  it('is rejected before anything is executed', async () => {
    const database = createFakeDatabase()
    const query = 'query ($id: ID!) { pet(id: $id) { id } }'
    const answer = await createGraphqlClient().post(
      { query, variables: { id: 2 ** 53 } },
      createContext(database),
    )
    const error = { message: found('id'), extensions: { code: 'INVALID_VALUE', argument: 'id' } }
    expect(answer).toMatchObject({ status: 400, body: { errors: [error] } })
    expect(database.statements).toEqual([])
  })
})
