/** What happens when something breaks inside: masked outside, logged once, and nothing is mixed up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('a failure that nobody foresaw', () => {
  beforeAll(async () => {
    await service.sql`alter table pets rename column name to secret_name`
  })
  afterAll(async () => {
    await service.sql`alter table pets rename column secret_name to name`
  })

  it.each([
    ['listPets', '/v1/pets', {}],
    ['getPet', '/v1/pets/1', {}],
    ['createPet', '/v1/pets', { method: 'POST', body: { name: 'hidden', categoryId: 1 } }],
  ])('is masked at the REST door, and logged once: %s', async (_, path, request) => {
    service.log.length = 0
    const response = await service.client.send(path, { ...request, headers: { 'x-request-id': 'r-1' } })
    expect(response.status).toBe(500)
    expect(response.json).toEqual({ code: 'INTERNAL', message: expect.any(String), status: 500 })
    expectOneLine(response.text)
  })

  it('is masked at the GraphQL door, and logged once', async () => {
    service.log.length = 0
    const request = {
      method: 'POST',
      body: { query: '{ pet(id: 1) { id } }' },
      headers: { 'x-request-id': 'r-1' },
    }
    const response = await service.client.send('/graphql', request)
    expect(response.status).toBe(500)
    expect(response.json).toMatchObject({ errors: [{ path: ['pet'], extensions: { code: 'INTERNAL' } }] })
    expectOneLine(response.text)
  })

  function expectOneLine(answer: string): void {
    const errors = service.log.filter(({ level }) => Number(level) >= 50)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ reqId: 'r-1', err: { message: expect.stringContaining('42703') } })
    for (const text of [answer, JSON.stringify(service.log)]) {
      expect(text).not.toMatch(/secret_name|hidden|select |insert /i)
    }
    expect(answer).not.toMatch(/42703|\.ts|node_modules/)
  }
})

it.each([
  ['GraphQL', '/graphql', { method: 'POST', body: { query: '{ pets { nodes { status } } }' } }],
  ['REST', '/v1/pets', {}],
])('a value that the graph does not know is our failure, masked and logged: %s', async (_, path, request) => {
  await service.clear()
  await service.sql`alter type pet_status add value if not exists 'lost'`
  await service.sql`insert into pets (name, category_id, status) values ('Rex', 1, 'lost')`
  service.log.length = 0
  const { status, text } = await service.client.send(path, request)
  await service.clear()
  expect(status).toBe(500)
  expect(text).toContain('INTERNAL')
  expect(text).not.toContain('lost')
  expect(service.log.filter(({ level }) => Number(level) >= 50)).toHaveLength(1)
})

it('a statement that takes too long is given up, and says so', async ({ skip }) => {
  skip(
    process.env.TEST_DATABASE === 'embedded',
    'PGlite knows no statement_timeout, nor a second session to hold a lock',
  )
  await service.sql.begin(async (sql) => {
    await sql`lock table pets in access exclusive mode`
    const { status, json } = await service.client.send('/v1/pets')
    expect([status, json]).toEqual([504, { code: 'TIMEOUT', message: expect.any(String), status: 504 }])
  })
  expect((await service.client.send('/v1/pets')).status).toBe(200)
})

it('an animal that the database refuses is refused alone, whatever else is created with it', async () => {
  await service.sql`alter table pets add constraint no_ghosts check (name <> 'ghost')`
  try {
    const names = ['before', 'ghost', 'after', 'ghost', '{"\\', 'NULL', '', ' ', 'a,b', "it's", '🐕\n']
    const created = await Promise.all(
      names.map((name) => service.client.send('/v1/pets', { method: 'POST', body: { name, categoryId: 1 } })),
    )
    expect(created.map(({ status }) => status)).toEqual(names.map((name) => (name === 'ghost' ? 500 : 201)))
    const kept = await service.sql`select name from pets where name = any(${names})`
    expect(kept.map(({ name }) => String(name)).sort()).toEqual(
      names.filter((name) => name !== 'ghost').sort(),
    )
  } finally {
    await service.sql`alter table pets drop constraint no_ghosts`
  }
})

it('many requests at once each get their own answer', async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index)
  const created = await Promise.all(
    numbers.map((number) =>
      service.client.send('/v1/pets', { method: 'POST', body: { name: `n${number}`, categoryId: number } }),
    ),
  )
  expect(created.map(({ json }) => json)).toMatchObject(
    numbers.map((number) => ({ name: `n${number}`, categoryId: number })),
  )
  const fetched = await Promise.all(
    created.map(({ json }, index) => {
      const { id } = json as { id: number }
      const query = `{ pet(id: ${id}) { name } pets(first: 1) { totalCount pageInfo { hasNextPage } } }`
      return index % 2 ? service.client.graphql(query) : service.client.send(`/v1/pets/${id}`)
    }),
  )
  for (const [index, answer] of fetched.entries()) {
    const pet = 'json' in answer ? answer.json : answer.data?.pet
    expect(pet).toMatchObject({ name: `n${index}` })
  }
})
