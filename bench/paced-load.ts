/**
 * Sends requests at a steady rate, and measures latency from the moment each was due rather than sent, so a server that falls
 * behind does not get fewer requests (no coordinated omission). wrk cannot limit its rate, and autocannon sends each second's share
 * in one burst, which would measure the peak again.
 */
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { CONNECTIONS } from './load.ts'
import type { Request } from './operations.ts'
import { headersOf } from './send.ts'

export interface PacedLatency {
  /** Milliseconds. */
  p50: number
  p99: number
}

/** @throws Error if any response was missing or not 2xx */
export async function measurePaced(
  url: string,
  requests: readonly Request[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<PacedLatency> {
  const { hostname, port, host } = new URL(url)
  const bytes = requests.map((request) => Buffer.from(writeRequest(request, host)))
  const total = Math.round(rate * seconds)
  const latencies: number[] = []
  let sent = 0
  const failures: string[] = []
  const fail = (reason: string) => void failures.push(reason)

  const start = performance.now()
  const dueTime = (index: number) => start + (index / rate) * 1_000
  const idle: Connection[] = []
  const connections = Array.from({ length: CONNECTIONS }, () => {
    const connection = openConnection(hostname, Number(port), fail)
    idle.push(connection)
    return connection
  })
  const sendDue = () => {
    while (sent < total && dueTime(sent) <= performance.now()) {
      const connection = idle.pop()
      const request = bytes[sent % bytes.length]
      if (!connection || !request) return
      const due = dueTime(sent)
      sent += 1
      connection.send(request, () => {
        latencies.push(performance.now() - due)
        idle.push(connection)
        // Sends at once what had to wait for a connection.
        sendDue()
      })
    }
  }
  const deadline = start + seconds * 1_000 + 10_000
  while (latencies.length < total && failures.length === 0) {
    sendDue()
    if (performance.now() > deadline) fail(`only ${latencies.length} of ${total} were answered`)
    await setTimeout(1)
  }
  for (const connection of connections) connection.close()
  if (failures[0] !== undefined) throw new Error(`at ${Math.round(rate)} requests/s: ${failures[0]}`)
  latencies.sort((a, b) => a - b)
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) }
}

interface Connection {
  send(request: Buffer, done: () => void): void
  close(): void
}

/**
 * One request at a time, whose response has a Content-Length: minimal work, since the client shares the machine with the server.
 */
function openConnection(host: string, port: number, fail: (reason: string) => void): Connection {
  const socket = connect(port, host).setNoDelay()
  let received = Buffer.alloc(0)
  let answered: (() => void) | null = null
  socket.on('error', (error) => fail(error.message))
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = received.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (!/^HTTP\/1\.1 2/.test(head) || length === undefined) {
      fail(`unexpected response: ${head}`)
      return
    }
    if (received.length < end + 4 + Number(length)) return
    received = Buffer.alloc(0)
    answered?.()
  })
  return {
    send(request, done) {
      answered = done
      socket.write(request)
    },
    close: () => socket.destroy(),
  }
}

function writeRequest(request: Request, host: string): string {
  const { method, path, body = '' } = request
  const headers = { host, ...headersOf(request), ...(body && { 'content-length': Buffer.byteLength(body) }) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
