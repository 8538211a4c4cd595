/** A Postgres that goes away, in every way that it can, and comes back. */
import createSql from 'postgres'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createClient, type TestClient } from '../support/client.ts'
import { endPrograms, startProgram } from '../support/process.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { startProxy } from '../support/proxy.ts'

const KEY = 'test-secret'
let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterEach(endPrograms)
afterAll(() => postgres.remove())

async function start(url: string): Promise<TestClient> {
  const program = startProgram({ DATABASE_URL: url, API_KEYS: `test:${KEY}` })
  return createClient(await program.ready, KEY)
}

const create = (client: TestClient, name: string) =>
  client.send('/v1/pets', { method: 'POST', body: { name, categoryId: 1 } })

async function expectUnavailable(client: TestClient): Promise<void> {
  for (const path of ['/v1/pets', '/v1/pets/1', '/readyz']) {
    const { status, json, headers } = await client.send(path)
    expect([status, json]).toEqual([
      503,
      { code: 'DATABASE_UNAVAILABLE', message: expect.any(String), status: 503 },
    ])
    expect(headers['retry-after']).toBe('1')
  }
  const graphql = await client.send('/graphql', { method: 'POST', body: { query: '{ pet(id: 1) { id } }' } })
  expect(graphql).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(graphql.json).toMatchObject({
    data: { pet: null },
    errors: [{ extensions: { code: 'DATABASE_UNAVAILABLE' } }],
  })
  expect((await client.send('/healthz')).status).toBe(200)
  expect((await client.send('/v1/pets', { key: 'wrong' })).status).toBe(401)
}

it('stopped and started: 503 with Retry-After at both doors, then service by itself, with all that was kept', async () => {
  const client = await start(postgres.url)
  expect((await create(client, 'before')).status).toBe(201)
  await postgres.stop()
  await expectUnavailable(client)
  await postgres.start()
  await vi.waitFor(async () => expect((await client.send('/readyz')).status).toBe(200), { timeout: 10_000 })
  expect((await create(client, 'after')).status).toBe(201)
  expect((await client.send('/v1/pets')).json).toMatchObject([{ name: 'before' }, { name: 'after' }])
})

it('connections reset in the middle of queries free their place in the pool', async () => {
  const proxy = await startProxy(postgres.url)
  const client = await start(proxy.url)
  // Counts are not joined: each takes a connection.
  const count = () => client.graphql('{ pets { totalCount } }')
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 40 }, count))
    const swallowed = proxy.silence(true)
    const requests = Array.from({ length: 40 }, count)
    await swallowed
    proxy.reset()
    void proxy.silence(false)
    for (const { status } of await Promise.all(requests)) expect([200, 503]).toContain(status)
  }
  const answers = await Promise.all(Array.from({ length: 40 }, count))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await proxy.close()
})

it('a proxy that hangs up, having no Postgres behind it: 503 at once, and service when it has', async () => {
  const proxy = await startProxy(postgres.url)
  const client = await start(proxy.url)
  proxy.hangUp(true)
  await expectUnavailable(client)
  proxy.hangUp(false)
  await vi.waitFor(async () => expect((await client.send('/readyz')).status).toBe(200), { timeout: 10_000 })
  await proxy.close()
})

it('connections that an operator ends are answered for, with an idempotency key too', async () => {
  const client = await start(postgres.url)
  const sql = createSql(postgres.url, { max: 2 })
  const headers = { 'idempotency-key': 'ended' }
  const body = { name: 'ended', categoryId: 1 }
  await sql.begin(async (tx) => {
    await tx`lock table pets in access exclusive mode`
    const underWay = client.send('/v1/pets', { method: 'POST', body, headers })
    await vi.waitFor(async () => {
      const ended = await sql`
        select pg_terminate_backend(pid) from pg_locks where relation = 'pets'::regclass and not granted`
      expect(ended).toHaveLength(1)
    })
    expect((await underWay).status).toBe(503)
  })
  const answers = [1, 2].map(() => client.send('/v1/pets', { method: 'POST', body, headers }))
  for (const { status } of await Promise.all(answers)) expect([201, 409]).toContain(status)
  expect(await sql`select from pets where name = 'ended'`).toHaveLength(1)
  await sql.end()
})

it('a Postgres that falls silent is answered for in time, and served again when it speaks', async () => {
  const proxy = await startProxy(postgres.url)
  const client = await start(proxy.url)
  // Every connection of the pool is there, and will be in the middle of a statement: counts are not joined.
  const count = () => Promise.all(Array.from({ length: 40 }, () => client.graphql('{ pets { totalCount } }')))
  await count()
  expect(proxy.connections.size).toBeGreaterThan(5)
  void proxy.silence(true)
  const counts = count()
  const answers = await Promise.all(Array.from({ length: 40 }, () => client.send('/v1/pets')))
  for (const { status, json } of answers) {
    expect([503, 504]).toContain(status)
    expect(['TIMEOUT', 'DATABASE_UNAVAILABLE']).toContain((json as { code: string }).code)
  }
  for (const { errors } of await counts) expect(errors).toHaveLength(1)
  void proxy.silence(false)
  await vi.waitFor(async () => expect((await client.send('/v1/pets')).status).toBe(200), { timeout: 30_000 })
  await proxy.close()
})
