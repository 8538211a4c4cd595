/** Statements that take a long time in Postgres, or never end. The tests wait, so they run concurrently. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitAtMost } from '../../src/base/time-limit.ts'
import type { TestClient } from '../support/client.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/proxy.ts'
import { lockPets } from '../support/table-lock.ts'
import { connectKeepingAlive, endServersAfter, startServer } from './server.ts'
import { findLost, readAll, startTraffic } from './traffic.ts'

/** Milliseconds. A request gets its answer within 8 seconds; the rest is for a busy machine. */
const LONGEST_ANSWER = 15_000

const databases: Awaited<ReturnType<typeof createPostgresDatabase>>[] = []
beforeAll(async () => {
  for (let count = 0; count < 5; count += 1) databases.push(await createPostgresDatabase())
})
endServersAfter(afterAll)
afterAll(() => Promise.all(databases.map((database) => database.remove())))

function takeDatabase(): string {
  const database = databases.pop()
  if (!database) throw new Error('there is one database for each test')
  databases.unshift(database)
  return database.env.DATABASE_URL
}

const isDatabaseProblem = (status: number | string) => status === 503 || status === 504

describe.concurrent('a server', () => {
  it('a server answers 503 or 504 while the network to Postgres is silent for 10 seconds, and recovers by itself', async () => {
    const proxy = await startProxy(takeDatabase())
    const { url, client } = await startServer({ DATABASE_URL: proxy.url })
    const traffic = startTraffic(connectKeepingAlive(url), { writers: 4, readers: 4 })
    await eventually(() => expect(traffic.created.size).toBeGreaterThan(100))
    void proxy.silence(true)
    // Before any statement's own time limit.
    const readiness = await waitAtMost(4_500, client.send('/readyz'))
    expect(readiness?.status).toBe(503)
    await setTimeout(10_000)
    expect((await client.send('/healthz')).status).toBe(200)
    void proxy.silence(false)
    await traffic.nextSuccess()
    await traffic.stop()

    expect(await findLost(client, traffic.created)).toEqual([])
    expect([...traffic.failed.keys()].filter((status) => !isDatabaseProblem(status))).toEqual([])
    expect(traffic.slowest).toBeLessThan(LONGEST_ANSWER)
    await proxy.close()
  })

  it('a connection whose statement vanishes is given up, also after it was idle for longer than its limit', async () => {
    const proxy = await startProxy(takeDatabase())
    const { client } = await startServer({ DATABASE_URL: proxy.url, DATABASE_CONNECTIONS: '1' })
    expect((await client.send('/v1/pets')).status).toBe(200)
    await setTimeout(8_000)
    void proxy.silence(true)
    expect((await client.send('/v1/pets')).status).toBe(504)
    void proxy.silence(false)
    await eventually(async () => expect((await client.send('/v1/pets')).status).toBe(200))
    await proxy.close()
  })

  it('a server answers 503 or 504 while a table is locked for 15 seconds, and recovers by itself', async ({
    onTestFinished,
  }) => {
    const database = takeDatabase()
    const { url, client } = await startServer({ DATABASE_URL: database })
    const traffic = startTraffic(connectKeepingAlive(url), { writers: 4, readers: 4 })
    await eventually(() => expect(traffic.created.size).toBeGreaterThan(100))
    const lock = await lockPets(database, onTestFinished)
    await setTimeout(15_000)
    expect((await client.send('/healthz')).status).toBe(200)
    await lock.release()
    await traffic.nextSuccess()
    await traffic.stop()

    expect(await findLost(client, traffic.created)).toEqual([])
    expect([...traffic.failed.keys()].filter((status) => !isDatabaseProblem(status))).toEqual([])
    expect(traffic.slowest).toBeLessThan(LONGEST_ANSWER)
  })

  it('a server answers each of 500 requests that find no connection, and runs none of them later', async ({
    onTestFinished,
  }) => {
    const database = takeDatabase()
    const { url, client } = await startServer({ DATABASE_URL: database })
    const many = connectKeepingAlive(url, 500)
    const lock = await lockPets(database, onTestFinished)
    const waiting = await sendAll(many, 500)
    // Its client has already got an error.
    await lock.waitForNone()
    await lock.release()
    const served = await sendAll(many, 500)

    expect([...waiting.statuses.keys()].filter((status) => !isDatabaseProblem(status))).toEqual([])
    expect(waiting.slowest).toBeLessThan(LONGEST_ANSWER)
    expect([...served.statuses.keys()].sort()).toEqual([200, 201, 404])
    expect((await readAll(client)).size).toBe(served.statuses.get(201))
  })

  it('a server that was stopped for 9 seconds sends the answers that Postgres gave meanwhile', async ({
    onTestFinished,
  }) => {
    const database = takeDatabase()
    const { url, program } = await startServer({ DATABASE_URL: database })
    const client = connectKeepingAlive(url)
    // Opens the connections.
    await sendAll(client, 4)
    const lock = await lockPets(database, onTestFinished)
    // Of four kinds, so there are four statements.
    const answers = sendAll(client, 4)
    await lock.waitFor(4)
    program.child.kill('SIGSTOP')
    await lock.release()
    await setTimeout(9_000)
    program.child.kill('SIGCONT')

    expect([...(await answers).statuses.keys()].sort()).toEqual([200, 201, 404])
  })
})

/** Sends requests of all kinds at once. @returns the answers by status, and how long the slowest took in milliseconds */
async function sendAll(client: TestClient, count: number) {
  const statuses = new Map<number, number>()
  const start = performance.now()
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { status } = await sendOne(client, index)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }),
  )
  return { statuses, slowest: performance.now() - start }
}

function sendOne(client: TestClient, index: number) {
  if (index % 4 === 0) return client.send('/v1/pets')
  // No pet ever gets this id.
  if (index % 4 === 1) return client.send(`/v1/pets/-${index}`)
  const headers = index % 4 === 2 ? {} : { 'idempotency-key': crypto.randomUUID() }
  return client.createPet({ name: `pet ${index}`, categoryId: 1 }, { headers })
}
