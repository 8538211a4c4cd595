/** Several hosts in DATABASE_URL: the primary is lost, the standby takes over, hosts are dead or silent. */
import { existsSync, globSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestClient } from '../support/client.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort, listenOnLoopback } from '../support/free-port.ts'
import { PASSWORD } from '../support/leaks.ts'
import { runOn, startPostgres, startStandby, type TestPostgres } from '../support/postgres.ts'
import { logLines, run } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'
import { KEY } from '../support/service.ts'
import { expectUnavailable } from './expect-unavailable.ts'
import { connectKeepingAlive, endServersAfter, print, report, startServer, type Server } from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

/** Milliseconds. A request would be given up after 8 s. */
const FAST = 6_000
/** Only events of this test's pets. */
const SUBSCRIPTION = 'subscription { petChanged(filter: { categoryId: [7] }) { kind } }'

const [installation = ''] = globSync('/usr/lib/postgresql/*/bin').filter((path) =>
  ['initdb', 'postgres', 'pg_basebackup'].every((name) => existsSync(join(path, name))),
)
if (installation === '') console.warn('Failover is not tested: there is no pg_basebackup with its server.')

/** One URL for several servers. */
function urlOf(...servers: TestPostgres[]): string {
  return `postgres://postgres@${servers.map(({ url }) => new URL(url).host).join()}/postgres`
}

/** Whether a commit waits for a standby. */
async function setSynchronousStandbys(postgres: TestPostgres, names: '*' | ''): Promise<void> {
  await runOn(postgres.url, `alter system set synchronous_standby_names = '${names}'`)
  await runOn(postgres.url, 'select pg_reload_conf()')
}

const countPets = (postgres: TestPostgres) => runOn(postgres.url, 'select count(*) from pets')
const create = async (client: TestClient, name: string) =>
  (await client.createPet({ name, categoryId: 7 })).status

// Each test continues where the previous one ended.
describe.skipIf(installation === '')('of a primary and a synchronous standby', () => {
  let first: TestPostgres
  let second: TestPostgres
  let servers: Server[] = []
  beforeAll(async () => {
    first = await startPostgres(undefined, installation)
    second = await startStandby(first, { bin: installation })
    await setSynchronousStandbys(first, '*')
    await eventually(async () =>
      expect(await runOn(first.url, 'select sync_state from pg_stat_replication')).toBe('sync'),
    )
    // The hosts in either order.
    servers = await Promise.all(
      [urlOf(first, second), urlOf(second, first)].map((url) => startServer({ DATABASE_URL: url })),
    )
  })
  endServersAfter(afterAll)
  afterAll(() => Promise.all([first.remove(), second.remove()]))

  it('after the primary is killed, requests get 503 at once, and succeed after the promotion; nothing is lost, and streams end', async () => {
    const streams = await Promise.all(servers.map(({ url }) => subscribe(url, KEY, SUBSCRIPTION)))
    const traffic = servers.map(({ url }) =>
      startTraffic(connectKeepingAlive(url), { writers: 2, readers: 2 }),
    )
    for (const { created } of traffic) await eventually(() => expect(created.size).toBeGreaterThan(100))

    await first.stop('immediate')
    for (const stream of streams) expect(await stream.next()).toBeNull()
    for (const { client } of servers) await expectUnavailable(client)
    for (const { failed } of traffic) await eventually(() => expect(failed.get(503)).toBeGreaterThan(20))

    const successes = traffic.map((each) => each.nextSuccess())
    const start = performance.now()
    await runOn(second.url, 'select pg_promote()')
    const promoted = performance.now()
    const back = Math.max(...(await Promise.all(successes)))
    await Promise.all(traffic.map((each) => each.stop()))

    for (const [index, { created, failed }] of traffic.entries()) {
      expect(await findLost(servers[index]?.client ?? expect.unreachable(), created)).toEqual([])
      expect([...failed.keys()]).toEqual([503])
    }
    const [from, to] = [first, second].map(({ url }) => new URL(url).host)
    for (const { program } of servers) {
      const lost = logLines(program, 'database connection lost').map(({ cause }) => String(cause))
      expect(lost).toEqual([expect.stringContaining(`${from}: `)])
      expect(lost[0]).toContain(`${to}: a standby`)
      expect(logLines(program, 'database connection restored')).toHaveLength(1)
    }
    const slowest = Math.max(...traffic.map(({ slowest }) => slowest))
    expect(slowest).toBeLessThan(FAST)
    const created = traffic.reduce((sum, { created }) => sum + created.size, 0)
    const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`
    report(
      `failover: ${print(created)} creations acknowledged, 0 lost, slowest answer ${seconds(slowest)}, ` +
        `promoted in ${seconds(promoted - start)}, success on both servers ${seconds(back - start)} after its begin`,
    )
  })

  it('an old primary that comes back gets no writes while the new one is available', async () => {
    await first.start()
    const before = await countPets(first)
    for (const { client } of servers) {
      // Their connections are closed, so each of them asks the hosts again.
      await runOn(
        second.url,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pet-store'",
      )
      await eventually(async () => expect(await create(client, 'after')).toBe(201))
    }
    expect(await countPets(first)).toBe(before)
  })
})

describe.concurrent('with several hosts in the URL', () => {
  const databases: Awaited<ReturnType<typeof createPostgresDatabase>>[] = []
  const silent = createServer((socket) => socket.on('error', () => socket.destroy()))
  let silentHost = ''
  let deadHost = ''
  beforeAll(async () => {
    for (let count = 0; count < 2; count += 1) databases.push(await createPostgresDatabase())
    silentHost = `127.0.0.1:${await listenOnLoopback(silent)}`
    deadHost = `127.0.0.1:${await findFreePort()}`
  })
  endServersAfter(afterAll)
  afterAll(async () => {
    silent.close()
    await Promise.all(databases.map((database) => database.remove()))
  })

  it.each([
    ['is dead', () => deadHost],
    ['accepts connections and never answers', () => silentHost],
  ])('a server whose first host %s starts and serves', async (_, hostOf) => {
    const url = new URL(databases[0]?.env.DATABASE_URL ?? '')
    const { client } = await startServer({
      DATABASE_URL: url.href.replace(url.host, `${hostOf()},${url.host}`),
    })
    expect(await create(client, 'Rex')).toBe(201)
  })

  it('if the primary stops answering, requests get 504, then 503 faster, and succeed when it answers again', async () => {
    const proxy = await startProxy(databases[1]?.env.DATABASE_URL ?? '')
    const { host } = new URL(proxy.url)
    const { client, program } = await startServer({
      DATABASE_URL: proxy.url.replace(host, `${deadHost},${host}`),
    })
    expect(await create(client, 'Rex')).toBe(201)
    void proxy.silence(true)
    expect(await create(client, 'Rex')).toBe(504)
    const line = { level: 40, status: 504, codes: ['TIMEOUT'], cause: 'SILENT_CONNECTION' }
    await eventually(() => expect(logLines(program, 'request').at(-1)).toMatchObject(line))
    const start = performance.now()
    expect(await create(client, 'Rex')).toBe(503)
    expect(performance.now() - start).toBeLessThan(FAST)
    await expectUnavailable(client)
    void proxy.silence(false)
    await eventually(async () => expect(await create(client, 'Rex')).toBe(201))
    await proxy.close()
  })

  it('a command that can use no host names each of them and what is wrong with it', async () => {
    const url = `postgres://user:${PASSWORD}@${deadHost},${silentHost}/pets`
    const { status, stderr } = await run({ DATABASE_URL: url }, 'keys', 'list')
    const problem = `NO_PRIMARY: ${deadHost}: ECONNREFUSED; ${silentHost}: no answer in 2 s`
    expect([status, stderr]).toEqual([1, expect.stringContaining(problem)])
    expect(stderr).not.toContain(PASSWORD)
  })
})
