/**
 * Two servers behind HAProxy, as deploy/haproxy.cfg configures it: restarts that no client notices, and a server without a
 * database.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { type EventStream, subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { hasHaproxy, startHaproxy, type TestBalancer } from '../support/haproxy.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'
import { KEY } from '../support/service.ts'
import {
  connect,
  connectKeepingAlive,
  endServersAfter,
  print,
  report,
  type Server,
  startServer,
} from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

const RESTARTS = 3
const SUBSCRIBERS = 4
/** Only events of the last pet. */
const SUBSCRIPTION = 'subscription { petChanged(filter: { categoryId: [7] }) { pet { name } } }'

const directory = useDirectory()

describe.skipIf(!hasHaproxy)('of two servers behind HAProxy', () => {
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>
  /** Between the second server and the database. */
  let proxy: Proxy
  let start: (index: number) => Promise<Server>
  let servers: Server[]
  let balancer: TestBalancer
  beforeAll(async () => {
    database = await createPostgresDatabase()
    proxy = await startProxy(database.env.DATABASE_URL)
    const ports = await Promise.all([findFreePort(), findFreePort()])
    const urls = [database.env.DATABASE_URL, proxy.url]
    start = (index) =>
      // Longer than HAProxy needs to notice, which is two checks.
      startServer({ DATABASE_URL: urls[index] ?? '', PORT: String(ports[index]), SHUTDOWN_DELAY: '2' })
    servers = [await start(0), await start(1)]
    balancer = await startHaproxy(directory, ports)
  })
  endServersAfter(afterAll)
  afterAll(async () => {
    await proxy.close()
    await database.remove()
  })

  it('while each server is restarted three times, no request fails, and clients subscribe again', async () => {
    const traffic = startTraffic(connectKeepingAlive(balancer.url), { writers: 4, readers: 4 })
    const subscribers = Array.from({ length: SUBSCRIBERS }, () => new Subscriber(balancer.url))
    for (const index of Array.from({ length: RESTARTS }, () => [0, 1]).flat()) {
      servers[index]?.program.child.kill('SIGTERM')
      expect(await servers[index]?.program.ended).toBe(0)
      servers[index] = await start(index)
      await balancer.until(index + 1, 'UP')
    }
    await traffic.stop()

    expect(Object.fromEntries(traffic.failed)).toEqual({})
    expect(traffic.created.size).toBeGreaterThan(1_000)
    const client = connectKeepingAlive(balancer.url)
    expect(await findLost(client, traffic.created)).toEqual([])
    expect((await client.createPet({ name: 'the last one', categoryId: 7 })).status).toBe(201)
    for (const subscriber of subscribers) {
      await eventually(() => expect(subscriber.last).toBe('the last one'))
      await subscriber.stop()
    }
    const ends = subscribers.reduce((sum, subscriber) => sum + subscriber.ends, 0)
    expect(ends).toBeGreaterThanOrEqual(SUBSCRIBERS)
    report(
      `${2 * RESTARTS} restarts behind HAProxy: ${print(traffic.succeeded)} requests succeeded, 0 failed, ` +
        `${print(traffic.created.size)} creations acknowledged, 0 lost, ${ends} event streams ended and made again`,
    )
  })

  it('a server whose database is unreachable gets no requests until its database is back', async () => {
    proxy.hangUp(true)
    await balancer.until(2, 'DOWN')
    const client = connect(balancer.url)
    const statuses = Array.from({ length: 20 }, async () => (await client.send('/v1/pets?limit=1')).status)
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
    expect((await servers[1]?.client.send('/v1/pets?limit=1'))?.status).toBe(503)
    proxy.hangUp(false)
    await balancer.until(2, 'UP')
  })
})

/** Subscribes again whenever its stream is complete; a stream that is cut fails the test. */
class Subscriber {
  /** The name in the last event. */
  last: string | null = null
  /** How many streams have ended. */
  ends = 0
  readonly #url: string
  #stream: EventStream | null = null
  #isStopped = false
  readonly #ended: Promise<void>

  constructor(url: string) {
    this.#url = url
    this.#ended = this.#run()
    // A failing test never awaits it.
    this.#ended.catch(() => undefined)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stream?.abort()
    await this.#ended
  }

  async #run(): Promise<void> {
    for (;;) {
      try {
        await this.#follow()
      } catch (error) {
        if (this.#isStopped) return
        throw error
      }
      this.ends += 1
    }
  }

  async #follow(): Promise<void> {
    const stream = await subscribe(this.#url, KEY, SUBSCRIPTION)
    this.#stream = stream
    expect(stream.response.statusCode).toBe(200)
    for (let event = await stream.next(); event !== null; event = await stream.next())
      this.last = (event as { data: { petChanged: { pet: { name: string } } } }).data.petChanged.pet.name
  }
}
