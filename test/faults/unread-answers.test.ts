/**
 * Clients that ask for large answers and events, and read nothing of them. UNREAD_ANSWERS and UNREAD_STREAMS set how many there are:
 * `UNREAD_ANSWERS=1200 UNREAD_STREAMS=300 npx vitest run --project faults test/faults/unread-answers.test.ts`
 */
import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import type { TestClient } from '../support/client.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { subscribe } from '../support/event-stream.ts'
import { KEY } from '../support/service.ts'
import { describeGrowth, MEASURED, type Memory, measureMemory } from './memory.ts'
import { connectKeepingAlive, endServersAfter, print, report, type Server, startServer } from './server.ts'

const ANSWERS = Number(process.env.UNREAD_ANSWERS || 300)
const STREAMS = Number(process.env.UNREAD_STREAMS || 150)
/** What all unread answers or events may cost at any moment, in MB. */
const MAX_COST = 300
const ATTACKER = 'a-secret-of-a-client-that-reads-nothing'

endServersAfter(afterEach)

const aliases = (length: number, field: string) =>
  Array.from({ length: 30 }, (_, index) => `${`a${index}`.padEnd(length, 'x')}: ${field}`).join(' ')

async function start(): Promise<Server> {
  const database = await createPostgresDatabase()
  onTestFinished(() => database.remove())
  return startServer({ ...database.env, API_KEYS: `test:${KEY},attacker:${ATTACKER}:read` }, MEASURED)
}

/** Sends GraphQL requests on a connection of its own, and reads the status of the first answer, but no more. */
async function askWithoutReading(url: string, accept: string, query: string, times = 1) {
  const { hostname, port } = new URL(url)
  const socket = connectSocket(Number(port), hostname)
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const body = JSON.stringify({ query })
  const lines = [
    ...['POST /graphql HTTP/1.1', 'Host: x', `Authorization: Bearer ${ATTACKER}`, `Accept: ${accept}`],
    ...['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, '', body],
  ]
  socket.write(lines.join('\r\n').repeat(times))
  await once(socket, 'readable')
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(String(socket.read(12))) ?? []
  return { socket, status: Number(status) }
}

/** Another client's requests, one after the other. */
function startOrdinaryRequests(client: TestClient) {
  const statuses = new Set<number>()
  let slowest = 0
  let isStopped = false
  const sending = (async () => {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- stop() changes it
    while (!isStopped) {
      const start = performance.now()
      statuses.add((await client.send('/v1/pets?limit=1')).status)
      slowest = Math.max(slowest, performance.now() - start)
    }
  })()
  return {
    async stop() {
      isStopped = true
      await sending
      return { statuses: [...statuses], slowest: Math.round(slowest) }
    },
  }
}

const costOf = (before: Memory, after: Memory) => Math.round(after.peak - before.rss)

it(`${ANSWERS} clients that do not read answers whose aliases make much text of little data cost at most ${MAX_COST} MB`, async () => {
  const { url, program } = await start()
  const client = connectKeepingAlive(url)
  for (let count = 0; count < 100; count += 1) await client.createPet({ name: 'x', categoryId: 1 })
  const before = await measureMemory(program)
  const others = startOrdinaryRequests(client)
  // 1.6 MB of 100 bytes. The kernel may take twice as much for each connection, so each asks four times.
  const query = `{ pets(first: 100) { nodes { ${aliases(530, 'id')} } } }`
  const answers = await Promise.all(
    Array.from({ length: ANSWERS }, () => askWithoutReading(url, 'application/json', query, 4)),
  )
  const { statuses, slowest } = await others.stop()
  const after = await measureMemory(program)

  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  report(
    `${print(ANSWERS)} connections with four unread answers of 1.6 MB each: ${count(200)} × 200, ${count(503)} × 503, at most ${costOf(before, after)} MB more; ` +
      `${describeGrowth(before, after)}; another key's slowest request took ${slowest} ms`,
  )
  expect(costOf(before, after)).toBeLessThanOrEqual(MAX_COST)
  expect(count(200)).toBeGreaterThan(0)
  expect(count(200) + count(503)).toBe(ANSWERS)
  expect(statuses).toEqual([200])
})

it.each([
  ['the same fields', () => ''],
  ['different fields', (index: number) => `b${index}: id`],
])(
  `${STREAMS} unread streams of %s cost at most ${MAX_COST} MB, and one that is read gets every event`,
  async (selection, fieldOf) => {
    const { url, program } = await start()
    const client = connectKeepingAlive(url)
    const queryOf = (field: string) =>
      `subscription { petChanged { pet { ${field} ${aliases(0, 'name').replace(field && 'a0: name', '')} } } }`
    const before = await measureMemory(program)
    const streams: { socket: Socket; status: number }[] = []
    for (let index = 0; index < STREAMS; index += 1)
      streams.push(await askWithoutReading(url, 'text/event-stream', queryOf(fieldOf(index))))
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    const reader = await subscribe(url, KEY, queryOf(''))
    onTestFinished(() => reader.abort())
    const others = startOrdinaryRequests(client)
    for (let count = 0; count < 3; count += 1) {
      await client.createPet({ name: 'x'.repeat(65_000), categoryId: 1 })
      expect(JSON.stringify(await reader.next()).length).toBeGreaterThan(1_900_000)
    }
    const { statuses, slowest } = await others.stop()
    const after = await measureMemory(program)

    report(
      `${print(STREAMS)} unread streams of ${selection}, 3 events of 2 MB: at most ${costOf(before, after)} MB more; ` +
        `${describeGrowth(before, after)}; another key's slowest request took ${slowest} ms`,
    )
    expect(costOf(before, after)).toBeLessThanOrEqual(MAX_COST)
    expect(statuses).toEqual([200])
  },
)
