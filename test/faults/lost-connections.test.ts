/** Connections to Postgres that are lost in every possible way, and replaced. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { idOf, type TestClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { startProxy } from '../support/proxy.ts'
import { KEY } from '../support/service.ts'
import { lockPets, type TableLock } from '../support/table-lock.ts'
import { expectUnavailable } from './expect-unavailable.ts'
import { endServersAfter, startServer } from './server.ts'

/** The number of connections that one server opens for statements. */
const POOL_SIZE = 10

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
endServersAfter(afterEach)
afterAll(() => postgres.remove())

/** One key may not take all connections of the pool. */
const KEYS = Array.from({ length: POOL_SIZE }, (_, index) => `a-secret-of-client-${index}`)

async function start(url: string): Promise<TestClient> {
  const keys = [KEY, ...KEYS].map((secret, index) => `client-${index}:${secret}`)
  return (await startServer({ DATABASE_URL: url, API_KEYS: keys.join() })).client
}

/** More requests than the pool has connections. Each update is a statement of its own, since it expects something. */
const updateInParallel = (client: TestClient, id: string) =>
  Array.from({ length: 4 * POOL_SIZE }, (_, index) => {
    const query = `mutation { updatePet(id: "${id}", input: { name: "${index}" }, expected: { categoryId: 1 }) { id } }`
    return client.post('/graphql', { query }, { key: KEYS[index % POOL_SIZE] ?? KEY })
  })
const expectService = (client: TestClient) =>
  eventually(async () => expect((await client.send('/readyz')).status).toBe(200))

/** Puts a statement in flight on every connection of the pool. */
async function withBusyPool(client: TestClient, test: (lock: TableLock) => Promise<void>): Promise<number[]> {
  const id = idOf(await client.createPet({ name: 'updated', categoryId: 1 }))
  const lock = await lockPets(postgres.url)
  const updated = updateInParallel(client, id)
  await lock.waitFor(POOL_SIZE)
  await test(lock)
  await lock.release()
  return (await Promise.all(updated)).map(({ status }) => status)
}
const count = (statuses: number[], status: number) => statuses.filter((each) => each === status).length

it('connections that are reset in the middle of statements are replaced', async () => {
  const proxy = await startProxy(postgres.url)
  const client = await start(proxy.url)
  for (let round = 0; round < 3; round += 1) {
    const statuses = await withBusyPool(client, async (lock) => {
      proxy.reset()
      // Postgres has not noticed yet that the others are gone.
      await lock.waitFor(2 * POOL_SIZE)
    })
    expect([count(statuses, 503), count(statuses, 200)]).toEqual([POOL_SIZE, 3 * POOL_SIZE])
  }
  await proxy.close()
})

it('while a proxy without a Postgres closes every connection, requests get 503 at once, and succeed afterwards', async () => {
  const proxy = await startProxy(postgres.url)
  const client = await start(proxy.url)
  proxy.hangUp(true)
  await expectUnavailable(client)
  proxy.hangUp(false)
  await expectService(client)
  await proxy.close()
})

it('requests on connections that an operator terminates get 503, and a retry creates the pet once', async () => {
  const client = await start(postgres.url)
  const lock = await lockPets(postgres.url)
  const createOnce = () =>
    client.createPet({ name: 'ended', categoryId: 1 }, { headers: { 'idempotency-key': 'ended' } })
  const interrupted = createOnce()
  await lock.waitFor(1)
  expect(await lock.terminateWaiting()).toBe(1)
  expect((await interrupted).status).toBe(503)
  await lock.release()

  const answers = await Promise.all([createOnce(), createOnce()])
  for (const { status } of answers) expect([201, 409]).toContain(status)
  const { data } = await client.graphql('{ pets(filter: { namePrefix: "ended" }) { totalCount } }')
  expect(data).toEqual({ pets: { totalCount: 1 } })
})
