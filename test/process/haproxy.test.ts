/** Two servers behind the HAProxy of deploy/haproxy.cfg: compression, and a rolling restart. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { endPrograms, type Program, ROOT, startCommand, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

const directory = useDirectory()
const missing = ['haproxy', 'openssl'].filter((name) => spawnSync(name, ['-v']).error)
if (missing.length > 0) console.warn(`HAProxy is not tested: ${missing.join(' and ')} is missing.`)

describe.skipIf(missing.length > 0)('behind HAProxy', () => {
  let port: number
  let ports: number[]
  let servers: Program[]
  let start: (port: number) => Program
  let removeDatabase: () => Promise<void>
  beforeAll(async () => {
    const database = await createPostgresDatabase()
    removeDatabase = () => database.remove()
    const [first, ...others] = await Promise.all([findFreePort(), findFreePort(), findFreePort()])
    port = first
    ports = others
    start = (port) =>
      startProgram({
        ...database.env,
        PORT: String(port),
        API_KEYS: `test:${KEY}`,
        SHUTDOWN_DELAY: '5',
        TRUST_PROXY: '127.0.0.1',
      })
    servers = ports.map(start)
    await Promise.all(servers.map(({ ready }) => ready))
    startHaproxy(port, ports)
    await eventually(async () => expect((await send(port, 'GET')).status).toBe(200))
  })
  afterAll(async () => {
    await endPrograms()
    await removeDatabase()
  })

  it('answers are compressed, with an ETag that still works', async () => {
    await send(port, 'POST')
    const gzip = { 'accept-encoding': 'gzip' }
    const { headers } = await send(port, 'GET', { headers: gzip })
    expect(headers['content-encoding']).toBe('gzip')
    expect(headers.vary).toContain('Accept-Encoding')
    expect(headers.etag).toMatch(/^W\/"/)
    const again = await send(port, 'GET', { headers: { ...gzip, 'if-none-match': String(headers.etag) } })
    expect(again.status).toBe(304)
  })

  it('event streams are not compressed', async () => {
    const path = `/graphql?query=${encodeURIComponent('subscription { petChanged { kind } }')}`
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'gzip' }
    const answer = await send(port, 'GET', { path, headers, waits: false })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream'])
    expect(answer.headers).not.toHaveProperty('content-encoding')
  })

  it('servers that are restarted one after the other lose no request', async () => {
    const traffic = startTraffic(port)
    for (const [index, server] of servers.entries()) await restart(server, () => start(ports[index] ?? 0))
    const statuses = await traffic.stop()
    expect(statuses.get(200)).toBeGreaterThan(100)
    expect(statuses.get(201)).toBeGreaterThan(100)
    expect([...statuses.keys()].sort()).toEqual([200, 201])
  })
})

/** Without its retries, which would hide lost requests; with a certificate, a port and servers of the test's own. */
function startHaproxy(port: number, servers: number[]): Program {
  const [certificate, config] = [join(directory, 'pets.pem'), join(directory, 'haproxy.cfg')]
  const [keyFile, certificateFile] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const options = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost'.split(' ')
  execFileSync('openssl', ['req', ...options, '-keyout', keyFile, '-out', certificateFile], {
    stdio: 'ignore',
  })
  writeFileSync(certificate, [keyFile, certificateFile].map((file) => readFileSync(file, 'utf8')).join(''))
  const text = readFileSync(join(ROOT, 'deploy', 'haproxy.cfg'), 'utf8')
    .replace('retries 3', 'retries 0')
    .replace('/etc/haproxy/pets.pem', certificate)
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replaceAll(/10\.0\.0\.1(\d):4000/g, (_, digit) => `127.0.0.1:${servers[Number(digit) - 1]}`)
  writeFileSync(config, text)
  return startCommand('haproxy', ['-f', config], { env: {} })
}

async function restart(server: Program, start: () => Program): Promise<void> {
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  await start().ready
}

/** Four clients read and four create, each one request after the other. */
function startTraffic(port: number): { stop(): Promise<Map<number | string, number>> } {
  const statuses = new Map<number | string, number>()
  let isRunning = true
  const clients = Array.from({ length: 8 }, async (_, index) => {
    while (isRunning) {
      const status = await send(port, index % 2 ? 'GET' : 'POST').then(
        (answer) => answer.status,
        (error: unknown) => String(error),
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  return {
    async stop() {
      isRunning = false
      await Promise.all(clients)
      return statuses
    },
  }
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
}

/** @param options waits: whether to wait for the end of the body */
function send(
  port: number,
  method: 'GET' | 'POST',
  options: { path?: string; headers?: Record<string, string>; waits?: boolean } = {},
): Promise<Answer> {
  const { path = '/v1/pets', waits = true } = options
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...options.headers }
    const target = { port, method, path, headers, rejectUnauthorized: false }
    request(target, (response) => {
      const answer = { status: response.statusCode ?? 0, headers: response.headers }
      if (waits) response.resume().once('end', () => resolve(answer))
      else {
        response.destroy()
        resolve(answer)
      }
    })
      .once('error', reject)
      .end(method === 'POST' ? '{"name": "x", "categoryId": 1}' : '')
  })
}
