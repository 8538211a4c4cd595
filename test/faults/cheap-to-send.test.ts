/** Requests that cost a server far more than its client. The server has the memory limit of the examples of deployments, where possible. */
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

/** A connection that sends something, and reads no answers. */
function open(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connectSocket(Number(port), hostname).pause()
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Sends the same on many connections at once, for a second, while another key asks for a pet again and again. */
async function attack(
  connections: number,
  bytes: string | Buffer,
  { isStalled = false } = {},
): Promise<void> {
  const { database, ...server } = await start()
  const { program, url } = server
  const others = isStalled ? null : await startOrdinaryRequests(server, WITHOUT_DATABASE)
  const lock = isStalled ? await lockPets(database.env.DATABASE_URL) : null
  // What the start has taken does not count.
  await measureMemory(program)
  const sockets = Array.from({ length: connections }, () => open(url))
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
}

const request = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n')
const withKey = (index = 0) => `Authorization: Bearer ${READ_KEYS[index]}`
const repeat = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length))
/** A body in chunks of one byte. */
const crumbs = (bytes: number) => `${'1\r\nx\r\n'.repeat(bytes)}0\r\n\r\n`
const post = (path: string, ...headers: string[]) =>
  request(`POST ${path}`, 'Host: x', 'Content-Type: application/json', ...headers)
const CHUNKED = 'Transfer-Encoding: chunked'

describe('requests sent at once on a connection', () => {
  it.each<[string, number, number, string]>([
    ['thousands of /healthz', 150, 2 ** 20, request('GET /healthz', 'Host: x')],
    ['the shortest ones', 200, 2 ** 18, request('GET /')],
    ['unknown paths', 200, 2 ** 18, request('GET /nothing', 'Host: x')],
    ['requests without a key', 200, 2 ** 18, request('GET /v1/pets', 'Host: x')],
    ['expectations', 200, 2 ** 18, request('GET /', 'Host: x', 'Expect: x')],
    ['requests with bodies', 200, 2 ** 18, `${post('/v1/pets', 'Content-Length: 2')}{}`],
    ['bodies in chunks of one byte', 200, 2 ** 18, post('/healthz', CHUNKED) + crumbs(20)],
    ['upgrades', 200, 2 ** 18, request('GET /healthz', 'Host: x', 'Connection: Upgrade', 'Upgrade: x')],
    [
      'methods of all kinds',
      200,
      2 ** 18,
      request('OPTIONS /graphql', 'Host: x') + request('PUT /v1', 'Host: x'),
    ],
    ['requests with a key', 200, 2 ** 18, request('GET /v1/pets?limit=100', 'Host: x', withKey())],
    [
      'subscriptions',
      50,
      2 ** 18,
      request(
        'GET /graphql?query=subscription{petChanged{kind}}',
        'Host: x',
        withKey(),
        'Accept: text/event-stream',
      ),
    ],
  ])('take no more memory and time than requests on many connections: %s', (_, connections, bytes, text) =>
    attack(connections, repeat(text, bytes)),
  )
})

describe('bodies', () => {
  const body = JSON.stringify({ query: '{ pets { totalCount } }', variables: { a: 'x'.repeat(60_000) } })
  const graphql = (...headers: string[]) => post('/graphql', withKey(), ...headers)

  it.each<[string, number, string]>([
    ['chunks of one byte', 100, graphql(CHUNKED) + '1\r\n \r\n'.repeat(65_000)],
    ['chunks of one byte without a key', 100, post('/graphql', CHUNKED) + crumbs(1_000_000)],
    [
      'chunks of one byte that no route reads',
      100,
      request('GET /healthz', 'Host: x', CHUNKED) + crumbs(1_000_000),
    ],
    ['chunks with extensions', 100, graphql(CHUNKED) + `1;${'x'.repeat(100)}\r\n \r\n`.repeat(10_000)],
    ['4,000 that never end', 4_000, graphql('Content-Length: 65000') + body.slice(0, 59_000)],
  ])('take no more memory than their bytes: %s', (_, connections, text) => attack(connections, text))

  it('take no more memory than their bytes while the database stalls', () =>
    attack(500, graphql(`Content-Length: ${body.length}`) + body, { isStalled: true }))

  it.each([
    ['numbers', `[${'1,'.repeat(31_000)}1]`],
    ['objects', `[${'{},'.repeat(20_000)}{}]`],
    ['equal names', `{${'"a":[],'.repeat(8_000)}"a":1}`],
    ['levels', '['.repeat(30_000) + ']'.repeat(30_000)],
  ])('with too many values are rejected at little cost: %s', (_, json) => {
    const headers = [`Authorization: Bearer ${KEY}`, `Content-Length: ${json.length}`]
    return attack(100, repeat(post('/v1/pets', ...headers) + json, 2 ** 19))
  })
})
