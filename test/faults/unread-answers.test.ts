/**
 * Clients that ask for large answers and events. UNREAD_ANSWERS and UNREAD_STREAMS set how many read nothing of them:
 * `UNREAD_ANSWERS=1200 UNREAD_STREAMS=300 npx vitest run --project faults test/faults/unread-answers.test.ts`
 */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import type { TestClient } from '../support/client.ts'
import { createEmbeddedDatabase, createPostgresDatabase } from '../support/database.ts'
import { STREAM_TYPES, subscribe } from '../support/event-stream.ts'
import { KEY } from '../support/service.ts'
import { MEASURED, type Memory, measureMemory } from './memory.ts'
import { startOrdinaryRequests } from './ordinary-requests.ts'
import { connectKeepingAlive, endServersAfter, type Server, startServer } from './server.ts'

const ANSWERS = Number(process.env.UNREAD_ANSWERS || 300)
const STREAMS = Number(process.env.UNREAD_STREAMS || 150)
/** The memory that all unread answers or events may take at any moment, in MB. */
const MAX_COST = 300
/** The limit for one iteration of the event loop, in ms of CPU time: many times what it takes. */
const MAX_TURN = 1_000
const ATTACKER = 'a-secret-of-a-client-that-reads-nothing'

endServersAfter(afterEach)

const aliases = (length: number, field: string, count = 30) =>
  Array.from({ length: count }, (_, index) => `${`a${index}`.padEnd(length, 'x')}: ${field}`).join(' ')

/** 12 MB of 100 pets whose names JSON escapes. */
const LARGE = `{ pets(first: 100, filter: { categoryId: [77] }) { nodes { ${aliases(0, 'name', 20)} } } }`

const createPets = (client: TestClient, pet: object) =>
  Promise.all(Array.from({ length: 100 }, () => client.createPet(pet)))
const createLongPets = (client: TestClient) =>
  createPets(client, { name: '\u0001'.repeat(1_000), categoryId: 77 })

const headersFor = (body: string, accept: string, key = ATTACKER) => ({
  authorization: `Bearer ${key}`,
  accept,
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
})

/** Sends GraphQL requests on a connection of its own, and reads the status of the first answer, but no more. */
async function askWithoutReading(url: string, accept: string, query: string, times = 1) {
  const { hostname, port } = new URL(url)
  const socket = connectSocket(Number(port), hostname)
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const body = JSON.stringify({ query })
  const headers = Object.entries(headersFor(body, accept)).map(([name, value]) => `${name}: ${value}`)
  socket.write(['POST /graphql HTTP/1.1', 'Host: x', ...headers, '', body].join('\r\n').repeat(times))
  await once(socket, 'readable')
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(String(socket.read(12))) ?? []
  return { socket, status: Number(status) }
}

/** Sends a GraphQL request, and reads the answer. @returns its status and its bytes */
function readAll(url: string, query: string, key = ATTACKER): Promise<{ status: number; bytes: number }> {
  const body = JSON.stringify({ query })
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent: false,
      headers: headersFor(body, 'application/json', key),
    } as const
    const outgoing = request(`${url}/graphql`, options, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes })).on('error', reject)
    })
    outgoing.on('error', reject).end(body)
  })
}

/** A complete answer to it. */
const completeAnswer = { status: 200, bytes: expect.closeTo(12_000_000, -5) as number }

/** @throws AssertionError if the server has taken too much memory or time since then */
async function expectSmallCost({ program }: Server, before: Memory): Promise<void> {
  const after = await measureMemory(program)
  expect(after.peak - before.rss).toBeLessThanOrEqual(MAX_COST)
  expect(after.longestTurn).toBeLessThan(MAX_TURN)
}

describe.each([
  ['Postgres', () => createPostgresDatabase()],
  ['the embedded database', () => createEmbeddedDatabase()],
])('on %s', (_, createDatabase) => {
  async function start(): Promise<Server & { client: TestClient }> {
    const database = await createDatabase()
    onTestFinished(() => database.remove())
    const env = { ...database.env, API_KEYS: `test:${KEY},attacker:${ATTACKER}:read` }
    const server = await startServer(env, MEASURED)
    return { ...server, client: connectKeepingAlive(server.url) }
  }

  it(`${ANSWERS} clients that do not read answers, which repeat little data by aliases, take at most ${MAX_COST} MB`, async () => {
    const server = await start()
    const { url, program, client } = server
    await createPets(client, { name: 'x', categoryId: 1 })
    const before = await measureMemory(program)
    const others = await startOrdinaryRequests(server)
    // 1.6 MB of 100 bytes. The kernel may take twice as much for each connection, so each asks four times.
    const query = `{ pets(first: 100) { nodes { ${aliases(530, 'id')} } } }`
    const answers = await Promise.all(
      Array.from({ length: ANSWERS }, () => askWithoutReading(url, 'application/json', query, 4)),
    )
    await others.stop()
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    await expectSmallCost(server, before)
    expect(count(200)).toBeGreaterThan(0)
    expect(count(200) + count(503)).toBe(ANSWERS)
  })

  it('a key whose clients do not read large answers gets 503, and another key gets everything', async () => {
    const { url, client } = await start()
    await createLongPets(client)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askWithoutReading(url, 'application/json', LARGE, 2)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))

    const reader = await subscribe(url, KEY, 'subscription { petChanged { pet { name } } }')
    onTestFinished(() => reader.abort())
    expect((await client.send('/v1/pets?limit=100')).status).toBe(200)
    expect(await readAll(url, LARGE, KEY)).toEqual(completeAnswer)
    await client.createPet({ name: 'Rex', categoryId: 1 })
    expect(await reader.next()).toEqual({ data: { petChanged: { pet: { name: 'Rex' } } } })
  })

  it('five clients of a key that read answers of 12 MB over and over all get them', async () => {
    const server = await start()
    const { url, program, client } = server
    await createLongPets(client)
    const before = await measureMemory(program)
    const others = await startOrdinaryRequests(server)
    const clients = Array.from({ length: 5 }, async () => {
      for (let received = 0; received < 3;) {
        const { status, bytes } = await readAll(url, LARGE)
        if (status === 503) await setTimeout(100)
        else {
          expect({ status, bytes }).toEqual(completeAnswer)
          received += 1
        }
      }
    })
    await Promise.all(clients)
    await others.stop()
    await expectSmallCost(server, before)
  })

  it.each([
    ['the same fields', () => ''],
    ['different fields', (index: number) => `b${index}: id`],
  ])(
    `${STREAMS} unread streams of %s take at most ${MAX_COST} MB, and one that is read gets every event`,
    async (_, fieldOf) => {
      const server = await start()
      const { url, program, client } = server
      const queryOf = (field: string) =>
        `subscription { petChanged { pet { ${field} ${aliases(0, 'name').replace(field && 'a0: name', '')} } } }`
      const before = await measureMemory(program)
      const streams: { socket: Socket; status: number }[] = []
      for (let index = 0; index < STREAMS; index += 1)
        streams.push(await askWithoutReading(url, STREAM_TYPES[index % 2] ?? '', queryOf(fieldOf(index))))
      expect(streams.every(({ status }) => status === 200)).toBe(true)
      const reader = await subscribe(url, KEY, queryOf(''))
      onTestFinished(() => reader.abort())
      const others = await startOrdinaryRequests(server)
      // More than the kernel takes of each stream.
      for (let count = 0; count < 200; count += 1) {
        await client.createPet({ name: 'x'.repeat(1_000), categoryId: 1 })
        expect(JSON.stringify(await reader.next()).length).toBeGreaterThan(29_000)
      }
      await others.stop()
      await expectSmallCost(server, before)
    },
  )
})
