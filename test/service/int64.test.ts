/** int64 in both APIs: every digit is kept, in bodies, paths, literals, variables and results. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { idOf, nextPage } from '../support/client.ts'
import { useService } from '../support/service.ts'

const service = useService()

const exact = [
  '0',
  '-1',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '1000000000000000000',
  '9223372036854775807',
  '-9223372036854775808',
]

describe.each(exact)('every digit of %s is kept', (value) => {
  it('is a JSON integer in REST requests and responses', async () => {
    const body = `{"name":"Rex","categoryId":${value}}`
    const created = await service.client.createPet(body)
    expect(created.status).toBe(201)
    expect(created.text).toMatch(new RegExp(`"categoryId":${value}[,}]`))
    const [row] = await service.sql<{ category_id: string }[]>`
      select category_id from pets where id = ${idOf(created)}`
    expect(row?.category_id).toBe(value)
  })

  it('may be a GraphQL literal, with or without quotes, and is a string in the response', async () => {
    for (const literal of [value, `"${value}"`]) {
      const query = `mutation { createPet(input: { name: "Rex", categoryId: ${literal} }) { categoryId } }`
      expect(await service.client.graphql(query)).toEqual({
        status: 200,
        data: { createPet: { categoryId: value } },
      })
    }
  })

  it('may be a string in GraphQL variables', async () => {
    const query =
      'mutation ($categoryId: Int64!) { createPet(input: { name: "Rex", categoryId: $categoryId }) { categoryId } }'
    const answer = await service.client.graphql(query, { categoryId: value })
    expect(answer).toEqual({ status: 200, data: { createPet: { categoryId: value } } })
  })

  it('as an id, finds exactly its own pet', async () => {
    await service.clear()
    await service.sql`insert into pets (id, name, category_id) overriding system value values (${value}, 'Rex', 1)`
    const { status, text } = await service.client.send(`/v1/pets/${value}`)
    expect([status, text]).toEqual([200, `{"id":${value},"name":"Rex","categoryId":1}`])
    expect((await service.client.send('/v1/pets')).text).toBe(`[{"id":${value},"name":"Rex","categoryId":1}]`)
    const neighbours = [BigInt(value) - 1n, BigInt(value) + 1n]
    for (const id of neighbours) expect((await service.client.send(`/v1/pets/${id}`)).status).toBe(404)

    const query = `query ($id: ID!) { literal: pet(id: ${value}) { id } quoted: pet(id: "${value}") { id } variable: pet(id: $id) { id } }`
    const pet = { id: value }
    const { data } = await service.client.graphql(query, { id: value })
    expect(data).toEqual({ literal: pet, quoted: pet, variable: pet })
  })
})

it('is exact in lists and cursors, at both ends of the range', async () => {
  await service.clear()
  for (const id of exact) {
    await service.sql`insert into pets (id, name, category_id) overriding system value values (${id}, 'Rex', ${id})`
  }
  const ascending = [...exact].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  const ids: string[] = []
  let path: string | undefined = '/v1/pets?limit=2'
  while (path !== undefined) {
    const page = await service.client.send(path)
    ids.push(...[...page.text.matchAll(/"id":(-?\d+)/g)].map(([, id]) => String(id)))
    path = nextPage(page)
  }
  expect(ids).toEqual(ascending)
  const query = `{ pets(last: 3) { nodes { id } pageInfo { hasPreviousPage hasNextPage startCursor endCursor } } }`
  const { data } = await service.client.graphql(query)
  expect(data).toMatchObject({ pets: { nodes: ascending.slice(-3).map((id) => ({ id })) } })
})

it.each([
  ['1.0', '1'],
  ['10e-1', '1'],
  ['1E2', '100'],
  ['-0', '0'],
  ['9007199254740993.000', '9007199254740993'],
  ['9223372036854775807e0', '9223372036854775807'],
])('the JSON number %s is the integer %s', async (source, value) => {
  const body = `{"name":"Rex","categoryId":${source}}`
  const { status, text } = await service.client.createPet(body)
  expect(status).toBe(201)
  expect(text).toContain(`"categoryId":${value}}`)
})

describe('what is no int64', () => {
  const create = 'mutation ($c: Int64!) { createPet(input: { name: "Rex", categoryId: $c }) { id } }'
  it.each(['9223372036854775808', '-9223372036854775809', '1.0', '1e3', '', ' 1', '0x1', '+1', '01'])(
    'GraphQL rejects the string %j',
    async (c) => {
      const { data, errors } = await service.client.graphql(create, { c })
      expect(data ?? null).toBeNull()
      expect(errors?.[0]?.message).toContain('-9223372036854775808 to 9223372036854775807')
    },
  )

  it.each([
    ['in a variable of type Int64', create, '{"c":9007199254740993}', 'variables.c'],
    [
      'in a variable of type ID',
      'query ($id: ID!) { pet(id: $id) { id } }',
      '{"id":9007199254740993}',
      'variables.id',
    ],
    [
      'in an input object',
      'mutation ($i: NewPet!) { createPet(input: $i) { id } }',
      '{"i":{"name":"Rex","categoryId":1e18}}',
      'variables.i.categoryId',
    ],
  ])(
    'GraphQL rejects a JSON number beyond 2^53-1, which may have been rounded: %s',
    async (_, query, variables, path) => {
      const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`
      const { status, json } = await service.client.post('/graphql', body)
      expect(status).toBe(400)
      expect(json).toMatchObject({
        errors: [{ message: expect.stringContaining(path), extensions: { code: 'INVALID_VALUE' } }],
      })
    },
  )

  it.each(['9223372036854775808', '1.5', '1e3', 'true', '"1.0"', 'available', '[1]', '{a: 1}'])(
    'GraphQL rejects the literal %s',
    async (literal) => {
      const { errors } = await service.client.graphql(
        `mutation { createPet(input: { name: "Rex", categoryId: ${literal} }) { id } }`,
      )
      expect(errors).toMatchObject([
        { locations: [{ line: 1 }], extensions: { code: 'INVALID_VALUE', argument: 'input.categoryId' } },
      ])
    },
  )
})

it('GraphQL accepts a JSON number up to 2^53-1', async () => {
  const query = 'mutation ($c: Int64!) { createPet(input: { name: "Rex", categoryId: $c }) { categoryId } }'
  const { data } = await service.client.graphql(query, { c: Number.MAX_SAFE_INTEGER })
  expect(data).toEqual({ createPet: { categoryId: '9007199254740991' } })
})

it('a creation that finds no id left is IDS_EXHAUSTED in both APIs, and nothing is stored', async () => {
  await service.clear()
  const [last] = await service.sql<{ id: string }[]>`select last_value as id from pets_id_seq`
  onTestFinished(async () => {
    await service.sql`select setval('pets_id_seq', ${last?.id ?? '1'})`
  })
  await service.sql`select setval('pets_id_seq', 9223372036854775806)`
  const pet = { name: 'Rex', categoryId: 1 }
  expect(idOf(await service.client.createPet(pet))).toBe('9223372036854775807')
  const error = { code: 'IDS_EXHAUSTED', message: 'Nothing can be created: there are no ids left.' }
  for (const headers of [{}, { 'idempotency-key': crypto.randomUUID() }]) {
    const { status, json } = await service.client.send('/v1/pets', { method: 'POST', body: pet, headers })
    expect([status, json]).toEqual([507, { ...error, status: 507 }])
  }
  const query = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }'
  const { status, json } = await service.client.post('/graphql', { query })
  expect([status, json]).toMatchObject([
    507,
    { errors: [{ message: error.message, extensions: { code: error.code } }] },
  ])
  expect(await service.countPets()).toBe(1)
})
