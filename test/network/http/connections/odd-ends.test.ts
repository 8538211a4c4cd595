/** A server releases everything that it holds for a request, however the connection ends. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Counts } from '../../../../src/base/counts.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { type App, KEY, startApp } from '../../../support/app.ts'
import { sendRequest } from '../../../support/client.ts'
import { eventually } from '../../../support/eventually.ts'
import { createFakeDatabase, findNothing } from '../../../unit/support/database.ts'

/** Each fails a statement that waits for the database. */
const waiting: (() => void)[] = []
const database = createFakeDatabase()
database.query = () =>
  new Promise((_, reject) => void waiting.push(() => reject(new ServiceError('DATABASE_UNAVAILABLE'))))

let app: App
/** How many requests have begun, and how many have been recorded in the log. */
let [begun, recorded] = [0, 0]
beforeAll(async () => {
  app = await startApp(database, { LOG_LEVEL: 'info' }, null, ({ msg, method }) => {
    // What the parser rejects has a line without a method.
    if (msg === 'request' && method !== undefined) recorded += 1
  })
  // Beyond the limits of a connection, none begins.
  app.server.on('request', ({ socket }: IncomingMessage) => (begun += socket.destroyed ? 0 : 1))
})
afterAll(() => app.close())

const lines = (...all: string[]) => [...all, '', ''].join('\r\n')
const request = (line: string, ...headers: string[]) =>
  lines(`${line} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${KEY}`, ...headers)
const post = (...headers: string[]) => request('POST /v1/pets', 'Content-Type: application/json', ...headers)
const LIST = request('GET /v1/pets?limit=100')
const SUBSCRIPTION = request('GET /graphql?query=subscription{petChanged{kind}}', 'Accept: text/event-stream')

/** What a client sends last. */
const LAST = {
  nothing: '',
  garbage: 'garbage\r\n\r\n',
  'the beginning of a request': 'GET /v1/pets HTT',
  CONNECT: lines('CONNECT x:443 HTTP/1.1', 'Host: x:443'),
  'an upgrade': request('GET /v1/pets', 'Connection: Upgrade', 'Upgrade: websocket'),
  'an upgrade to HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'too large headers': request('GET /v1/pets', `X: ${'x'.repeat(40_000)}`),
  'a part of a body': `${post('Content-Length: 30')}{"name"`,
  'garbage in a body': `${post('Transfer-Encoding: chunked')}zz\r\n`,
  'an expectation': post('Content-Length: 2', 'Expect: 100-continue'),
  'an unknown expectation': post('Content-Length: 2', 'Expect: x'),
  HEAD: request('HEAD /v1/pets'),
  'a request that is answered with 304': request('GET /v1/openapi.json', 'If-None-Match: *'),
  'a request that is answered with 400': request('GET /v1/pets?limit=0'),
  'a request that is answered with 401': lines('GET /v1/pets HTTP/1.1', 'Host: x'),
  'a request without a host': lines('GET /v1/pets HTTP/1.1'),
  'Connection: close': request('GET /v1/pets', 'Connection: close'),
  'HTTP/1.0': lines('GET /v1/pets HTTP/1.0', `Authorization: Bearer ${KEY}`),
  '17 requests': LIST.repeat(17),
}

/** How it leaves then; `peer` is the server's end of its connection. */
const LEAVE: Record<string, (socket: Socket, peer: Socket) => unknown> = {
  'is reset': (socket) => socket.resetAndDestroy(),
  'is reset after its answers': async (socket) => {
    for (let turn = 0; turn < 10; turn += 1) {
      failStatements()
      await nextTurn()
    }
    socket.resetAndDestroy()
  },
  'is half-closed, then reset': async (socket, peer) => {
    socket.end()
    await eventually(() => expect(peer.destroyed || peer.readableEnded).toBe(true))
    socket.resetAndDestroy()
  },
}

/** Sends bytes on a connection, until the server has read them. @returns both of its ends */
async function send(bytes: string): Promise<[Socket, Socket]> {
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect({ port: Number(app.url.port), host: app.url.hostname, allowHalfOpen: true })
  socket.on('error', () => undefined).resume()
  const [peer] = await accepted
  socket.write(bytes)
  await eventually(() => expect(peer.destroyed || peer.bytesRead === bytes.length).toBe(true))
  return [socket, peer]
}

function failStatements(): void {
  for (const fail of waiting.splice(0)) fail()
}

/** The requests that are open on the connection when it ends. */
const OPEN = [0, 1, 13].flatMap((lists) => [LIST.repeat(lists), SUBSCRIPTION + LIST.repeat(lists)])

describe.each(Object.entries(LEAVE))('a connection that %s', (_, leave) => {
  it.each(Object.entries(LAST))(
    'leaves no open cost and no subscription after %s, and all its requests are recorded',
    async (_, last) => {
      const add = vi.spyOn(Counts.prototype, 'add')
      begun = recorded = 0
      for (const open of OPEN) {
        const [socket, peer] = await send(open + last)
        await leave(socket, peer)
      }
      await eventually(() => {
        failStatements()
        expect(add.mock.calls.reduce((sum, [, change]) => sum + change, 0)).toBe(0)
        expect(database.events.size).toBe(0)
        expect(recorded).toBe(begun)
      })
    },
  )
})

it('after sixty connections that end in the middle of a queue, their key is served', async () => {
  for (let count = 0; count < 60; count += 1) {
    const [socket] = await send(SUBSCRIPTION + LIST.repeat(13) + LAST.CONNECT)
    failStatements()
    socket.resetAndDestroy()
  }
  await eventually(async () => {
    failStatements()
    expect(await promisify(app.server.getConnections.bind(app.server))()).toBe(0)
  })
  database.query = async (statement) => findNothing(statement)
  expect((await sendRequest(app.url, '/v1/pets?limit=100', { key: KEY })).status).toBe(200)
})
