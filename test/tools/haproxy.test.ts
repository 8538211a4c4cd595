/** What a client gets through HAProxy with TLS; test/faults/rolling-restart.test.ts restarts the servers behind it. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, sendRequest } from '../support/client.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { findFreePort } from '../support/free-port.ts'
import { hasHaproxy, startHaproxy, type TestBalancer } from '../support/haproxy.ts'
import { endPrograms, type Program, runVerify, startProgram, stopProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

const directory = useDirectory()

describe.skipIf(!hasHaproxy)('behind HAProxy', () => {
  let balancer: TestBalancer
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
  })
  afterAll(async () => {
    await endPrograms()
    await removeDatabase()
  })

  /** The answer may be compressed, or never end. */
  const get = (path: string, headers: Record<string, string>) =>
    fetch(balancer.url + path, { headers: { authorization: `Bearer ${KEY}`, ...headers } })

  it('answers are compressed, with an ETag that still works', async () => {
    await createClient(balancer.url, KEY).createPet({ name: 'x', categoryId: 1 })
    const gzip = { 'accept-encoding': 'gzip' }
    const { headers } = await get('/v1/pets', gzip)
    expect(headers.get('content-encoding')).toBe('gzip')
    expect(headers.get('vary')).toContain('Accept-Encoding')
    expect(headers.get('etag')).toMatch(/^W\/"/)
    const again = await get('/v1/pets', { ...gzip, 'if-none-match': String(headers.get('etag')) })
    expect(again.status).toBe(304)
  })

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['multipart/mixed;subscriptionSpec=1.0', 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0'],
  ])('event streams are not compressed: %s', async (accept, type) => {
    const path = `/graphql?query=${encodeURIComponent('subscription { petChanged { kind } }')}`
    const stream = await get(path, { accept, 'accept-encoding': 'gzip' })
    await stream.body?.cancel()
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, type])
    expect(stream.headers.get('content-encoding')).toBeNull()
  })

  it('a body that is too large gets its 413, of any size', async () => {
    for (const size of [70_000, 400_000, 5_000_000]) {
      const answer = await sendRequest(balancer.url, '/v1/pets', {
        method: 'POST',
        key: KEY,
        body: 'x'.repeat(size),
      })
      expect([size, answer.status, answer.json]).toEqual([
        size,
        413,
        expect.objectContaining({ status: 413 }),
      ])
    }
  })

  it('the contract holds through it', async () => {
    const env = {
      PETSTORE_API_KEY: KEY,
      NODE_EXTRA_CA_CERTS: join(balancer.certificates, 'localhost.pem'),
    }
    const { status, stdout } = await runVerify(env, `https://localhost:${balancer.port}/v1`, '--write')
    expect(status, stdout).toBe(0)
  })

  it('a noisy key is limited, and others are not', async () => {
    const noisy = { authorization: 'Bearer pets_k3v9x2ab_secret' }
    const answers = await Promise.all(Array.from({ length: 200 }, () => get('/v1/pets', noisy)))
    const limited = answers.find(({ status }) => status === 429)
    expect(limited?.headers.get('retry-after')).toBe('10')
    expect(await limited?.json()).toMatchObject({ code: 'RATE_LIMITED', status: 429 })
    expect((await get('/v1/pets', {})).status).toBe(200)
  })

  it('http is not served, so that no client sends its key without TLS', async () => {
    const url = `http://127.0.0.1:${balancer.httpPort}/v1/pets`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toEqual({ code: 'FORBIDDEN', message: 'Use https.', status: 403 })
  })

  it('without a server, the body of the error is as in the contract', async () => {
    await stopProgram(server)
    expect(await createClient(balancer.url, KEY).send('/v1/pets')).toMatchObject({
      status: 503,
      headers: { 'content-type': 'application/json', 'retry-after': '1' },
      json: { code: 'UNAVAILABLE', message: 'No server is available.', status: 503 },
    })
  })
})
