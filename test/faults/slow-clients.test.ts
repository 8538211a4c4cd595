/** Clients that send a request as slowly as they can, to occupy a connection. */
import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { KEY } from '../support/service.ts'
import { connectKeepingAlive, endServersAfter, report, searchAnswer, startServer } from './server.ts'
import { startTraffic } from './traffic.ts'

const CLIENTS = 400

endServersAfter(afterEach)

const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`
/** What each sends at once, and what it sends every half second until it is cut off. */
const KINDS = [
  { sends: '', then: '' },
  { sends: head, then: 'X: x\r\n' },
  { sends: `${head}Content-Length: 1000\r\n\r\n{`, then: ' ' },
  { sends: `${head}Transfer-Encoding: chunked\r\n\r\n`, then: '1\r\n \r\n' },
]

it(`${CLIENTS} slow clients are cut off with 408, and others are served meanwhile`, async () => {
  const database = await createPostgresDatabase()
  onTestFinished(() => database.remove())
  const { url } = await startServer(database.env)
  const traffic = startTraffic(connectKeepingAlive(url), { writers: 2, readers: 2 })
  const start = performance.now()
  const answers = await Promise.all(
    Array.from({ length: CLIENTS / KINDS.length }, () =>
      KINDS.map(({ sends, then }) => beSlow(url, sends, then)),
    ).flat(),
  )
  const time = (performance.now() - start) / 1_000
  await traffic.stop()

  for (const answer of answers) {
    searchAnswer(answer)
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s)
  }
  expect(Object.fromEntries(traffic.failed)).toEqual({})
  report(
    `${CLIENTS} slow clients: cut off with 408 within ${time.toFixed(1)} s; meanwhile ${traffic.succeeded} other requests, ` +
      `0 failed, the slowest took ${traffic.slowest.toFixed(0)} ms`,
  )
})

/** @returns everything the server sent until it closed the connection */
async function beSlow(url: string, sends: string, then: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connectSocket(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString()))
  // A write may happen after the end.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(sends)
  const closed = new AbortController()
  socket.once('close', () => closed.abort())
  await drip(socket, then, closed.signal)
  return received
}

async function drip(socket: Socket, bytes: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await setTimeout(500, undefined, { signal }).catch(() => undefined)
    if (bytes && socket.writable) socket.write(bytes)
  }
}
