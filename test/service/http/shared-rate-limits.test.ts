/** RATE_LIMIT_STORE=postgres: two servers with one budget. */
import { Agent } from 'node:http'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/proxy.ts'
import { KEY, startService, type TestService, useService } from '../../support/service.ts'

const typename = { query: '{ __typename }' }
const LIMIT = 600
const env = { RATE_LIMIT: `${LIMIT}/600`, AUTH_FAILURE_LIMIT: '3/600', RATE_LIMIT_STORE: 'postgres' }

describe.skipIf(process.env.TEST_DATABASE === 'embedded')('two servers', () => {
  const service = useService(env)
  let other: TestService
  beforeAll(async () => {
    other = await startService({ ...env, DATABASE_URL: service.databaseUrl })
    return () => other.stop()
  })

  it('answer as many requests of 64 clients as the limit allows, no more and no fewer', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 64 })
    onTestFinished(() => agent.destroy())
    const clients = [service, other].map(({ url }) => createClient(url, KEY, { agent }))
    let left = LIMIT * 1.25
    let answered = 0
    const send = async (index: number) => {
      while ((left -= 1) >= 0) {
        const { status } = await (clients[index % 2] ?? service.client).post('/graphql', typename)
        if (status === 200) answered += 1
      }
    }
    await Promise.all(Array.from({ length: 64 }, (_, index) => send(index)))
    expect(answered).toBeGreaterThanOrEqual(LIMIT * 0.95)
    expect(answered).toBeLessThanOrEqual(LIMIT * 1.05)
    const { status, headers } = await other.client.send('/v1/pets')
    expect([status, headers.ratelimit]).toEqual([429, expect.stringMatching(/^"requests";r=0;t=\d+$/)])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })

  it('share the limit of an address without a valid key', async () => {
    const statuses: number[] = []
    for (const { client } of [service, other, service, other, service])
      statuses.push((await client.send('/v1/pets', { key: null })).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })

  it('count for themselves while the database is silent, without keeping requests', async () => {
    const proxy = await startProxy(service.databaseUrl)
    const apart = await startService({ ...env, RATE_LIMIT: '100/600', DATABASE_URL: proxy.url })
    onTestFinished(async () => {
      await apart.stop()
      await proxy.close()
    })
    const left = async () => {
      const { status, headers } = await apart.client.post('/graphql', typename)
      expect(status).toBe(200)
      return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1])
    }
    expect(await left()).toBe(99)
    void proxy.silence(true)
    // Each would wait for eight seconds.
    const silent: number[] = []
    for (let time = 0; time < 10; time += 1) silent.push(await left())
    expect(silent).toEqual([99, 98, 97, 96, 95, 94, 93, 92, 91, 90])
    void proxy.silence(false)
    proxy.reset()
    // It continues where it was.
    await eventually(async () => expect(await left()).toBeGreaterThan(95))
  })
})
