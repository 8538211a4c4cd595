/** Requests beyond the limits of a connection and of a body: they end, and other clients are served. Where possible, the memory is limited. */
import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { createMemoryGroup } from '../support/memory-limit.ts'
import { endPrograms } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { lockPets } from '../support/table-lock.ts'
import { MEASURED, measureMemory } from './memory.ts'
import { startOrdinaryRequests } from './ordinary-requests.ts'
import { endServersAfter, startServer } from './server.ts'

const LIMIT = 2 ** 30
const CONNECTIONS = 50
/** The memory that a server may take at any moment, in MB: half of the limit. */
const MAX_PEAK = 512
/** How long another key may wait, in ms of the server's CPU time: on a machine that does nothing else, a fifth of it. */
const MAX_WAIT = 1_000
/** The server goes on while it waits for Postgres, which may take long on a busy machine. */
const WITHOUT_DATABASE = '/graphql?query={__typename}'
const READ_KEYS = ['a-secret-of-one-reader', 'a-secret-of-another-reader']

endServersAfter(afterEach)

async function start() {
  const database = await createPostgresDatabase()
  const group = createMemoryGroup(LIMIT)
  if (typeof group === 'string') console.warn(`Without a limit of memory: ${group}.`)
  onTestFinished(async () => {
    await endPrograms()
    await database.remove()
    if (typeof group !== 'string') group.remove()
  })
  const keys = READ_KEYS.map((secret, index) => `reader${index}:${secret}:read`)
  const env = { ...database.env, API_KEYS: [`test:${KEY}`, ...keys].join(), AUTH_FAILURE_LIMIT: 'off' }
  const server = await startServer(env, MEASURED, typeof group === 'string' ? [] : group.command)
  return { ...server, database }
}

/** A connection that sends something. */
function open(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connectSocket(Number(port), hostname).resume()
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/**
 * Sends the same on 50 connections at once, for a second, while another key sends requests.
 * @returns how many of the connections the server has closed
 */
async function sendAtOnce(bytes: string, { isStalled = false } = {}): Promise<number> {
  const { database, ...server } = await start()
  const { program, url } = server
  const others = isStalled ? null : await startOrdinaryRequests(server, WITHOUT_DATABASE)
  const lock = isStalled ? await lockPets(database.env.DATABASE_URL) : null
  // What the start has taken does not count.
  await measureMemory(program)
  const sockets = Array.from({ length: CONNECTIONS }, () => open(url))
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  for (const socket of sockets) socket.write(bytes)
  await setTimeout(1_000)
  const after = await measureMemory(program)
  const longestWait = await others?.stop()
  await lock?.release()
  expect(program.child.exitCode).toBeNull()
  expect(after.peak).toBeLessThan(MAX_PEAK)
  expect(after.longestTurn).toBeLessThan(MAX_WAIT)
  expect(longestWait ?? 0).toBeLessThan(MAX_WAIT)
  const answer = await fetch(`${url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${KEY}` } })
  expect(answer.status).toBe(200)
  return sockets.filter((socket) => socket.closed).length
}

const request = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n')
const withKey = (index = 0) => `Authorization: Bearer ${READ_KEYS[index]}`
/** A body in chunks of one byte. */
const crumbs = (bytes: number) => `${'1\r\nx\r\n'.repeat(bytes)}0\r\n\r\n`
const post = (path: string, ...headers: string[]) =>
  request(`POST ${path}`, 'Host: x', 'Content-Type: application/json', ...headers)
const CHUNKED = 'Transfer-Encoding: chunked'

it.each<[string, string]>([
  ['of /healthz', request('GET /healthz', 'Host: x')],
  ['without a host', request('GET /')],
  ['of unknown paths', request('GET /nothing', 'Host: x')],
  ['without a key', request('GET /v1/pets', 'Host: x')],
  ['with bodies', `${post('/v1/pets', 'Content-Length: 2')}{}`],
  ['with bodies in chunks', post('/healthz', CHUNKED) + crumbs(20)],
  ['with a key', request('GET /v1/pets?limit=100', 'Host: x', withKey())],
  [
    'of subscriptions',
    request(
      'GET /graphql?query=subscription{petChanged{kind}}',
      'Host: x',
      withKey(),
      'Accept: text/event-stream',
    ),
  ],
])('a connection with 17 requests %s is reset, and others are served', async (_, text) => {
  expect(await sendAtOnce(text.repeat(17))).toBe(CONNECTIONS)
})

describe('bodies', () => {
  const body = JSON.stringify({ query: '{ pets { totalCount } }', variables: { a: 'x'.repeat(60_000) } })
  const graphql = (...headers: string[]) => post('/graphql', withKey(), ...headers)

  it.each<[string, string]>([
    ['that is read', graphql(CHUNKED) + crumbs(1_001)],
    ['without a key', post('/graphql', CHUNKED) + crumbs(1_001)],
    ['that no route reads', request('GET /healthz', 'Host: x', CHUNKED) + crumbs(1_001)],
  ])('reset the connection with 1,001 chunks at once: %s', async (_, text) => {
    expect(await sendAtOnce(text)).toBe(CONNECTIONS)
  })

  it('may be incomplete, or wait for the database, while others are served', async () => {
    await sendAtOnce(graphql('Content-Length: 65000') + body.slice(0, 59_000))
    await sendAtOnce(graphql(`Content-Length: ${body.length}`) + body, { isStalled: true })
  })

  it('with 1,001 values are rejected', async () => {
    const { client } = await start()
    const values = Array.from({ length: 1_001 }, () => 1)
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 1, values })).status).toBe(400)
  })
})
