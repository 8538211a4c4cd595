/** What a client gets through HAProxy with TLS; test/faults/rolling-restart.test.ts restarts the servers behind it. */
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { findFreePort } from '../support/free-port.ts'
import { hasHaproxy, startHaproxy, type TestBalancer } from '../support/haproxy.ts'
import { endPrograms, type Program, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

const directory = useDirectory()

describe.skipIf(!hasHaproxy)('behind HAProxy', () => {
  let balancer: TestBalancer
  /** The certificate that clients trust. */
  let ca: string
  let server: Program
  let removeDatabase: () => Promise<void>
  beforeAll(async () => {
    const database = await createPostgresDatabase()
    removeDatabase = () => database.remove()
    const serverPort = await findFreePort()
    const env = {
      ...database.env,
      PORT: String(serverPort),
      API_KEYS: `test:${KEY}`,
      TRUST_PROXY: '127.0.0.1',
    }
    server = startProgram(env)
    await server.ready
    balancer = await startHaproxy(directory, [serverPort, serverPort])
    ca = readFileSync(join(balancer.certificates, 'localhost.pem'), 'utf8')
  })
  afterAll(async () => {
    await endPrograms()
    await removeDatabase()
  })

  /** @param options waits: whether to wait for the end of the body */
  function send(
    method: 'GET' | 'POST',
    options: { path?: string; headers?: Record<string, string>; waits?: boolean } = {},
  ): Promise<Answer> {
    const { path = '/v1/pets', waits = true } = options
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        ...options.headers,
      }
      const target = { port: balancer.port, servername: 'localhost', method, path, headers, ca }
      request(target, (response) => {
        const answer = { status: response.statusCode ?? 0, headers: response.headers, text: '' }
        if (waits) {
          response.on('data', (chunk: Buffer) => (answer.text += String(chunk)))
          response.once('end', () => resolve(answer))
        } else {
          response.destroy()
          resolve(answer)
        }
      })
        .once('error', reject)
        .end(method === 'POST' ? '{"name": "x", "categoryId": 1}' : '')
    })
  }

  it('answers are compressed, with an ETag that still works', async () => {
    await send('POST')
    const gzip = { 'accept-encoding': 'gzip' }
    const { headers } = await send('GET', { headers: gzip })
    expect(headers['content-encoding']).toBe('gzip')
    expect(headers.vary).toContain('Accept-Encoding')
    expect(headers.etag).toMatch(/^W\/"/)
    const again = await send('GET', { headers: { ...gzip, 'if-none-match': String(headers.etag) } })
    expect(again.status).toBe(304)
  })

  it('event streams are not compressed', async () => {
    const path = `/graphql?query=${encodeURIComponent('subscription { petChanged { kind } }')}`
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'gzip' }
    const answer = await send('GET', { path, headers, waits: false })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream'])
    expect(answer.headers).not.toHaveProperty('content-encoding')
  })

  it('petstore verify finds nothing wrong, as the service of that name in compose.yaml runs it', async () => {
    const env = {
      PETSTORE_API_KEY: KEY,
      NODE_EXTRA_CA_CERTS: join(balancer.certificates, 'localhost.pem'),
    }
    const verify = startProgram(env, ['verify', `https://localhost:${balancer.port}/v1`, '--write'])
    expect(await verify.ended, verify.stdout.join('\n')).toBe(0)
  })

  it('http is not served, so that no client sends its key without TLS', async () => {
    const url = `http://127.0.0.1:${balancer.httpPort}/v1/pets`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toEqual({ code: 'FORBIDDEN', message: 'Use https.', status: 403 })
  })

  it('without a server, the body of the error is as in the contract', async () => {
    server.child.kill('SIGTERM')
    await server.ended
    const { status, headers, text } = await send('GET')
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([503, 'application/json', '1'])
    expect(JSON.parse(text)).toEqual({ code: 'UNAVAILABLE', message: 'No server is available.', status: 503 })
  })
})
