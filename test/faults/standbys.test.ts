/** DATABASE_READ_URL: read-only keys are answered by standbys, which may be behind, paused, silent, killed or promoted. */
import { setTimeout } from 'node:timers/promises'
import createSql from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { replayedLsnStatement, writtenLsnStatement } from '../../src/db/standbys/polls.ts'
import { idOf, nextPage, type TestClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { runOn, startPostgres, startStandby, type TestPostgres } from '../support/postgres.ts'
import { logLines } from '../support/process.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'
import { clientOf, problemOf, problemsOf, startReadingServer, untilUsed } from './standbys.ts'
import { endServersAfter, print, report, type Server } from './server.ts'
import { startTraffic } from './traffic.ts'

const rex = { name: 'Rex', categoryId: 7 }
const LATEST = { 'cache-control': 'no-cache' }

let primary: TestPostgres
let standby: TestPostgres
/** Two servers of the standby, and one that reaches it through a network that can fail, and has no patience with it. */
let one: Server
let two: Server
let strict: Server
let proxy: Proxy
beforeAll(async () => {
  primary = await startPostgres()
  standby = await startStandby(primary)
  proxy = await startProxy(standby.url)
  const patient = `${standby.url}?max_lag=600`
  one = await startReadingServer(primary, patient, { METRICS_PORT: '0' })
  ;[two, strict] = await Promise.all([
    startReadingServer(primary, patient),
    startReadingServer(primary, `${proxy.url}?max_lag=1`),
  ])
  await Promise.all([one, two, strict].map(untilUsed))
})
endServersAfter(afterAll)
afterAll(async () => {
  await proxy.close()
  await Promise.all([primary.remove(), standby.remove()])
})

const pause = () => runOn(standby.url, 'select pg_wal_replay_pause()')
const resume = () => runOn(standby.url, 'select pg_wal_replay_resume()')
const get = (client: TestClient, id: string, headers = {}) => client.send(`/v1/pets/${id}`, { headers })
const statusOf = async (client: TestClient, id: string, headers = {}) =>
  (await get(client, id, headers)).status
const create = async (server: Server) => idOf(await clientOf(server, 'writer').createPet(rex))

async function findOverGraphql(client: TestClient, id: string, headers = {}): Promise<unknown> {
  const query = 'query ($id: ID!) { pet(id: $id) { name } }'
  const { json } = await client.post('/graphql', { query, variables: { id } }, { headers })
  return (json as { data: { pet: unknown } }).data.pet
}

describe('while the standby replays nothing,', () => {
  afterEach(resume)

  it('a key that writes sees its writes on every server; a read-only one sees them if it asks for the latest', async () => {
    await pause()
    const id = await create(one)
    const cases: [server: Server, key: string, headers: object, isFound: boolean][] = [
      [one, 'writer', {}, true],
      [two, 'writer', {}, true],
      [one, 'reader-1', {}, false],
      [two, 'reader-1', {}, false],
      [two, 'reader-1', { 'cache-control': 'no-store' }, false],
      [one, 'reader-1', LATEST, true],
      [two, 'reader-1', { 'cache-control': 'max-age=0' }, true],
    ]
    for (const [server, key, headers, isFound] of cases) {
      const client = clientOf(server, key)
      expect(await statusOf(client, id, headers)).toBe(isFound ? 200 : 404)
      expect(await findOverGraphql(client, id, headers)).toEqual(isFound ? { name: 'Rex' } : null)
    }
  })

  it('an ETag and a cursor stay valid, and neither hides changes from a client', async () => {
    const [writer, reader] = [clientOf(one, 'writer'), clientOf(one, 'reader-1')]
    const id = await create(one)
    await eventually(async () => expect(await statusOf(reader, id)).toBe(200))
    const { headers } = await get(reader, id)
    const next = nextPage(await reader.send('/v1/pets?limit=1'))?.replace('limit=1', 'limit=100') ?? ''
    await pause()
    await writer.updatePet(id, { name: 'Max' })
    const condition = { 'if-none-match': String(headers.etag) }
    expect(await statusOf(reader, id, condition)).toBe(304)
    expect((await get(reader, id, { ...condition, ...LATEST })).json).toMatchObject({ name: 'Max' })
    expect((await get(writer, id, condition)).json).toMatchObject({ name: 'Max' })
    expect((await writer.send(next)).text).toContain('Max')
    expect((await reader.send(next)).text).not.toContain('Max')
    await resume()
    await eventually(async () =>
      expect((await get(reader, id, condition)).json).toMatchObject({ name: 'Max' }),
    )
  })

  it('it is left out once it is behind by more than max_lag, and taken back when it has caught up', async () => {
    await pause()
    const id = await create(one)
    await eventually(() => expect(problemOf(strict)).toBe('may be more than 1 s behind the primary'))
    expect(await statusOf(clientOf(strict, 'reader-1'), id)).toBe(200)
    expect(problemOf(two)).toBeNull()
    expect(await statusOf(clientOf(two, 'reader-1'), id)).toBe(404)
    await resume()
    await untilUsed(strict)
  })
})

it('a read-only key sees nothing that is older than max_lag, although replay pauses for longer', async () => {
  const id = await create(one)
  const reader = clientOf(strict, 'reader-1')
  await eventually(async () => expect(await statusOf(reader, id)).toBe(200))
  const stopping = new AbortController()
  /** When each update was acknowledged; its name is its number. */
  const acknowledged: number[] = []
  const update = async () => {
    const sql = createSql(primary.url, { max: 1 })
    while (!stopping.signal.aborted) {
      await sql`update pets set name = ${String(acknowledged.length)} where id = ${id}`
      acknowledged.push(performance.now())
    }
    await sql.end()
  }
  const breakReplay = async () => {
    for (let count = 0; count < 3; count += 1) {
      await pause()
      await setTimeout(2_500)
      await resume()
      await setTimeout(1_000)
    }
    stopping.abort()
  }
  let [reads, oldest] = [0, 0]
  const read = async () => {
    for (; !stopping.signal.aborted; reads += 1) {
      const start = performance.now()
      const { name } = (await get(reader, id)).json as { name: string }
      if (name === 'Rex') continue
      const next = acknowledged[Number(name) + 1] ?? start
      oldest = Math.max(oldest, start - next)
    }
  }
  await Promise.all([update(), breakReplay(), read()])
  expect(oldest).toBeLessThanOrEqual(1_000)
  // Otherwise, the primary would have answered all of them.
  expect(oldest).toBeGreaterThan(0)
  report(`standbys: ${print(reads)} reads, the oldest state ${Math.round(oldest)} ms old with max_lag=1`)
})

it('no request fails when a standby falls silent, and it is taken back', async () => {
  const id = await create(one)
  void proxy.silence(true)
  expect(await statusOf(clientOf(strict, 'reader-1'), id)).toBe(200)
  await eventually(() => expect(problemOf(strict)).toMatch(/no answer|behind/))
  void proxy.silence(false)
  await untilUsed(strict)
})

it('no request fails when a standby is killed, and it is taken back', async () => {
  const servers = [one, two, strict]
  const traffic = servers.flatMap((server) => [
    startTraffic(clientOf(server, 'writer'), { writers: 1, readers: 0 }),
    startTraffic(clientOf(server, 'reader-1'), { writers: 0, readers: 3 }),
  ])
  for (const each of traffic) await eventually(() => expect(each.succeeded).toBeGreaterThan(20))
  await standby.stop('immediate')
  await Promise.all(servers.map((server) => eventually(() => expect(problemOf(server)).not.toBeNull())))
  expect((await clientOf(one, 'reader-1').send('/readyz')).status).toBe(200)
  await standby.start()
  await Promise.all(servers.map(untilUsed))
  await Promise.all(traffic.map((each) => each.stop()))
  expect(traffic.map(({ failed }) => [...failed])).toEqual(traffic.map(() => []))
})

it('the primary, another database, and a standby of another cluster are left out, and the primary answers', async () => {
  await runOn(primary.url, 'create database other')
  const url = new URL('/other', primary.url).href
  const foreign = await startPostgres()
  const foreignStandby = await startStandby(foreign)
  const urls = [url, standby.url, new URL('/other', foreignStandby.url).href]
  await runOn(foreign.url, 'create database other')
  const server = await startReadingServer({ url }, urls.join(' '))
  await eventually(() =>
    expect(problemsOf(server).toSorted()).toEqual([
      'not a standby',
      'of another database',
      'of another database',
    ]),
  )
  const id = await create(server)
  expect(await statusOf(clientOf(server, 'reader-1'), id)).toBe(200)
  expect(logLines(server.program, 'a standby answers reads')).toEqual([])
  await Promise.all([foreign.remove(), foreignStandby.remove()])
})

it('a standby reaches the position of an idle primary, even at the beginning of a page of the log', async () => {
  const read = async ({ url }: TestPostgres, { text }: { text: string }) =>
    Number(await runOn(url, `select bytes from (${text}) as position (database, bytes)`))
  await runOn(primary.url, 'select pg_switch_wal()')
  const written = await read(primary, writtenLsnStatement)
  // Before anything else is written.
  await eventually(async () =>
    expect(await read(standby, replayedLsnStatement)).toBeGreaterThanOrEqual(written),
  )
})

it('metrics say which standbys are used, and who answers', async () => {
  const { host } = new URL(standby.url)
  const [line] = logLines(one.program, 'metrics are served')
  const readMetrics = async () => (await fetch(String(line?.url))).text()
  const reads = async () =>
    Number(new RegExp(`petstore_reads_total{target="${host}"} (\\d+)`).exec(await readMetrics())?.[1])
  const before = await reads()
  await clientOf(one, 'reader-1').send('/v1/pets')
  await findOverGraphql(clientOf(one, 'reader-1'), '1')
  expect(await reads()).toBe(before + 2)
  const text = await readMetrics()
  for (const expected of [
    `petstore_standby_used{standby="${host}"} 1`,
    `petstore_standby_lag_seconds{standby="${host}"} `,
    'petstore_reads_total{target="primary"} ',
  ])
    expect(text).toContain(expected)
})

// The last: afterwards the standby is a primary.
it('after a failover, the promoted standby is left out, and one that does not follow it; the new primary answers', async () => {
  const other = await startStandby(primary)
  const hosts = primary.url.replace(
    /@[^/]+/,
    `@${[primary, standby].map(({ url }) => new URL(url).host).join()}`,
  )
  const server = await startReadingServer(
    { url: hosts },
    [primary, standby, other].map(({ url }) => `${url}?max_lag=2`).join(' '),
  )
  await eventually(() => expect(logLines(server.program, 'a standby answers reads')).toHaveLength(2))
  await primary.stop('immediate')
  await runOn(standby.url, 'select pg_promote()')
  const id = await eventually(() => create(server))
  // It may have had more of the old primary than the promoted one.
  const unled = expect.stringMatching(/^may be more than 2 s behind the primary$|^on another timeline/)
  await eventually(() => expect(problemsOf(server)).toContainEqual(unled))
  expect(problemsOf(server)).toContain('not a standby')
  for (const key of ['writer', 'reader-1', 'reader-2', 'reader-3'])
    expect(await statusOf(clientOf(server, key), id)).toBe(200)
  await other.remove()
})
