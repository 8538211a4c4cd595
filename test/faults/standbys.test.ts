/** DATABASE_READ_URL: queries go to standbys, which may be behind, paused, silent, killed or promoted. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readEndOfWal } from '../../src/db/standbys/wal-position.ts'
import { idOf, nextPage, type TestClient, type TestResponse } from '../support/client.ts'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { runOn, startPostgres, startStandby, type TestPostgres } from '../support/postgres.ts'
import { logLines } from '../support/process.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'
import { clientOf, problemOf, problemsOf, secretOf, startReadingServer, untilUsed } from './standbys.ts'
import { endServersAfter, type Server } from './server.ts'
import { startTraffic } from './traffic.ts'

const rex = { name: 'Rex', categoryId: 7 }
const WRITER = 0
const OTHER = 1

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
  one = await startReadingServer(primary, standby.url, { METRICS_PORT: '0' })
  ;[two, strict] = await Promise.all([
    startReadingServer(primary, standby.url, { METRICS_PORT: '0' }),
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
const tokenOf = ({ headers }: Pick<TestResponse, 'headers'>) => String(headers['consistency-token'])
const get = (client: TestClient, id: string, headers = {}) => client.send(`/v1/pets/${id}`, { headers })
const statusOf = async (client: TestClient, id: string, headers = {}) =>
  (await get(client, id, headers)).status

async function readMetrics({ program }: Server): Promise<string> {
  const [line] = logLines(program, 'metrics are served')
  return (await fetch(String(line?.url))).text()
}

async function create(client: TestClient, headers = {}): Promise<{ id: string; token: string }> {
  const created = await client.createPet(rex, { headers })
  expect(created.status).toBe(201)
  return { id: idOf(created), token: tokenOf(created) }
}

async function findOverGraphql(client: TestClient, id: string, headers = {}): Promise<unknown> {
  const query = 'query ($id: ID!) { pet(id: $id) { name } }'
  const { json } = await client.post('/graphql', { query, variables: { id } }, { headers })
  return (json as { data: { pet: unknown } }).data.pet
}

describe('while the standby replays nothing,', () => {
  afterEach(resume)

  it('other keys read what it has, and a key reads its own writes, with its token on other servers too', async () => {
    await pause()
    const { id, token } = await create(clientOf(one, WRITER))
    expect(token).toMatch(/^[\x21-\x7e]+$/)
    const sent = { 'consistency-token': token }
    const [other, ofTwo] = [clientOf(one, OTHER), clientOf(two, WRITER)]
    const cases: [client: TestClient, headers: object, status: number][] = [
      [clientOf(one, WRITER), {}, 200],
      [other, {}, 404],
      [other, sent, 200],
      [ofTwo, {}, 404],
      [ofTwo, sent, 200],
      [ofTwo, { 'consistency-token': 'nonsense' }, 404],
      [ofTwo, { 'consistency-token': token.replace(/^\S{8}/, 'AAAAAAAA') }, 404],
      [ofTwo, { 'consistency-token': [token, token] }, 404],
    ]
    const rest = cases.map(([client, headers]) => statusOf(client, id, headers))
    const graphql = cases.map(([client, headers]) => findOverGraphql(client, id, headers))
    expect(await Promise.all(rest)).toEqual(cases.map(([, , status]) => status))
    expect(await Promise.all(graphql)).toEqual(
      cases.map(([, , status]) => (status === 200 ? { name: 'Rex' } : null)),
    )
  })

  it('a GraphQL mutation has a token, and reads only from the primary', async () => {
    await pause()
    const [client, other] = [clientOf(one, WRITER), clientOf(two, OTHER)]
    const query = 'mutation { createPet(input: {name: "Luna", categoryId: "7"}) { id } }'
    const created = await client.post('/graphql', { query })
    const { id } = (created.json as { data: { createPet: { id: string } } }).data.createPet
    // Another server and another key: only the primary has the pet.
    const update = `mutation { updatePet(id: "${id}", input: {}) { name } deletePet(id: "${id}") { name } }`
    const updated = await other.post('/graphql', { query: update })
    expect(updated.json).toEqual({ data: { updatePet: { name: 'Luna' }, deletePet: { name: 'Luna' } } })
    const headers = { 'consistency-token': tokenOf(updated) }
    expect(await findOverGraphql(clientOf(one, 2), id, headers)).toBeNull()
    expect(await findOverGraphql(client, id, { 'consistency-token': tokenOf(created) })).toBeNull()
    expect(tokenOf(await client.post('/graphql', { query: '{ __typename }' }))).toBe('undefined')
  })

  it('a retried creation has a token of its own, from any server', async () => {
    await pause()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const { id } = await create(clientOf(one, WRITER), headers)
    const again = await create(clientOf(two, WRITER), headers)
    expect(again.id).toBe(id)
    expect(await statusOf(clientOf(two, OTHER), id, { 'consistency-token': again.token })).toBe(200)
    expect(await statusOf(clientOf(two, WRITER), id)).toBe(200)
  })

  it('a subscriber sees what it was told of, and what was there before: on this server, elsewhere by token', async () => {
    await pause()
    const before = await create(clientOf(two, WRITER))
    const query = 'subscription { petChanged(filter: {categoryId: [7]}) { pet { id } } }'
    const stream = await subscribe(one.url, secretOf(3), query)
    expect(await statusOf(clientOf(one, 3), before.id)).toBe(200)
    const opened = { 'consistency-token': tokenOf(stream.response) }
    expect(await statusOf(clientOf(two, 3), before.id, opened)).toBe(200)

    // It catches up, and both servers notice, so that only the event itself is missing.
    await resume()
    const end = await runOn(primary.url, `select (pg_current_wal_lsn() - '0/0')::text`)
    await eventually(async () =>
      expect(await runOn(standby.url, `select (pg_last_wal_replay_lsn() - '0/0' >= ${end})::text`)).toBe(
        'true',
      ),
    )
    for (const server of [one, two]) {
      await eventually(async () =>
        expect(await readMetrics(server)).toMatch(/^petstore_standby_lag_seconds{[^}]*} 0(\.\d+)?$/m),
      )
      expect(await statusOf(clientOf(server, OTHER), before.id, opened)).toBe(200)
    }
    await pause()
    const { id } = await create(clientOf(two, WRITER))
    for (const server of [one, two]) expect(await statusOf(clientOf(server, OTHER), id, opened)).toBe(404)
    const event = (await stream.next()) as { data: unknown; extensions: { consistencyToken: string } }
    expect(event.data).toEqual({ petChanged: { pet: { id } } })
    expect(await statusOf(clientOf(one, 3), id)).toBe(200)
    const told = { 'consistency-token': event.extensions.consistencyToken }
    expect(await statusOf(clientOf(two, 4), id)).toBe(404)
    expect(await statusOf(clientOf(two, 4), id, told)).toBe(200)
    // From now on, this key has seen it.
    expect(await statusOf(clientOf(two, 4), id)).toBe(200)
    stream.abort()
  })

  it('an ETag and a cursor stay valid, and neither hides new pets from a client', async () => {
    const [writer, other] = [clientOf(one, WRITER), clientOf(one, OTHER)]
    const { id } = await create(writer)
    await eventually(async () => expect(await statusOf(other, id)).toBe(200))
    const { headers } = await get(other, id)
    const next = nextPage(await other.send('/v1/pets?limit=1'))?.replace('limit=1', 'limit=100') ?? ''
    await pause()
    await writer.updatePet(id, { name: 'Max' })
    const condition = { 'if-none-match': String(headers.etag) }
    expect(await statusOf(other, id, condition)).toBe(304)
    expect((await get(writer, id, condition)).json).toMatchObject({ name: 'Max' })
    expect((await writer.send(next)).text).toContain('Max')
    expect((await other.send(next)).text).not.toContain('Max')
    await resume()
    await eventually(async () =>
      expect((await get(other, id, condition)).json).toMatchObject({ name: 'Max' }),
    )
  })

  it('it is left out once it is behind by more than max_lag, and taken back when it has caught up', async () => {
    await pause()
    const { id } = await create(clientOf(one, WRITER))
    await eventually(() => expect(problemOf(strict)).toMatch(/^\d+ s behind the primary$/))
    expect(await statusOf(clientOf(strict, OTHER), id)).toBe(200)
    expect(problemOf(two)).toBeNull()
    expect(await statusOf(clientOf(two, OTHER), id)).toBe(404)
    await resume()
    await untilUsed(strict)
  })
})

it('a standby that is a minute behind is left out; an idle primary causes no lag', async () => {
  await runOn(standby.url, `alter system set recovery_min_apply_delay = '60s'`)
  await runOn(standby.url, 'select pg_reload_conf()')
  // Postgres takes the setting over when it gets to it, so one creation may still be replayed at once.
  const id = await eventually(async () => {
    const created = await create(clientOf(one, WRITER))
    expect(problemOf(strict)).toMatch(/behind/)
    return created.id
  })
  expect(await statusOf(clientOf(strict, OTHER), id)).toBe(200)
  await runOn(standby.url, 'alter system reset recovery_min_apply_delay')
  await runOn(standby.url, 'select pg_reload_conf()')
  await untilUsed(strict)
})

it('no request fails when a standby falls silent, and it is taken back', async () => {
  const { id } = await create(clientOf(strict, WRITER))
  void proxy.silence(true)
  expect(await statusOf(clientOf(strict, OTHER), id)).toBe(200)
  await eventually(() => expect(problemOf(strict)).toMatch(/no answer|behind/))
  void proxy.silence(false)
  await untilUsed(strict)
})

it('no request fails when a standby is killed, and it is taken back', async () => {
  const servers = [one, two, strict]
  const traffic = servers.map((server) => startTraffic(clientOf(server, 5), { writers: 1, readers: 3 }))
  for (const { created } of traffic) await eventually(() => expect(created.size).toBeGreaterThan(20))
  await standby.stop('immediate')
  await Promise.all(servers.map((server) => eventually(() => expect(problemOf(server)).not.toBeNull())))
  expect((await clientOf(one, OTHER).send('/readyz')).status).toBe(200)
  await standby.start()
  await Promise.all(servers.map(untilUsed))
  await Promise.all(traffic.map((each) => each.stop()))
  expect(traffic.map(({ failed }) => [...failed])).toEqual([[], [], []])
})

it('a URL of the primary, or of another database, is left out', async () => {
  await runOn(primary.url, 'create database other')
  const url = new URL('/other', primary.url).href
  const server = await startReadingServer({ ...primary, url }, `${url} ${standby.url}`)
  const { id } = await create(clientOf(server, WRITER))
  expect(await statusOf(clientOf(server, OTHER), id)).toBe(200)
  expect(logLines(server.program, 'a standby answers reads')).toEqual([])
})

it('the end of the log of an idle primary is reached, even at the beginning of a page', async () => {
  await runOn(primary.url, 'select pg_switch_wal()')
  const end = await runOn(primary.url, readEndOfWal.text.replace('left(file_name, 8),', ''))
  const replayed = () => runOn(standby.url, `select (pg_last_wal_replay_lsn() - '0/0')::text`)
  // Before anything else is written.
  await eventually(async () => expect(Number(await replayed())).toBeGreaterThanOrEqual(Number(end)))
})

it('metrics say which standbys are used, and who answers', async () => {
  const { host } = new URL(standby.url)
  const reads = async () =>
    Number(new RegExp(`petstore_reads_total{target="${host}"} (\\d+)`).exec(await readMetrics(one))?.[1])
  const before = await reads()
  await clientOf(one, 6).send('/v1/pets')
  await findOverGraphql(clientOf(one, 6), '1')
  expect(await reads()).toBe(before + 2)
  const text = await readMetrics(one)
  for (const expected of [
    `petstore_standby_used{standby="${host}"} 1`,
    `petstore_standby_lag_seconds{standby="${host}"} `,
    'petstore_reads_total{target="primary"} ',
  ])
    expect(text).toContain(expected)
})

// The last: afterwards the standby is a primary.
it('after a promotion, reads follow it: what still follows the old primary is left out, however far its log goes', async () => {
  const old = await startStandby(primary)
  const hosts = primary.url.replace(
    /@[^/]+/,
    `@${[primary, standby].map(({ url }) => new URL(url).host).join()}`,
  )
  const server = await startReadingServer(
    { ...primary, url: hosts },
    [primary, standby, old].map(({ url }) => url).join(' '),
  )
  await eventually(() => expect(logLines(server.program, 'a standby answers reads')).toHaveLength(2))
  await runOn(standby.url, 'select pg_promote()')
  // Whichever of the two notices first.
  await eventually(() => expect(problemsOf(server)).toHaveLength(2))
  expect(problemsOf(server)).toContain('not on the timeline of the primary')
  await eventually(() => expect(problemOf(one)).toBe('not a standby'))

  const { id } = await create(clientOf(server, WRITER))
  expect(await runOn(standby.url, `select name from pets where id = ${id}`)).toBe('Rex')
  // On the old branch: another pet with this id, further in the log.
  const ghost = `(${id}, 'Ghost', 7), (${id} + 1, repeat('Ghost', 10000), 7)`
  await runOn(primary.url, `insert into pets (id, name, category_id) overriding system value values ${ghost}`)
  await eventually(async () =>
    expect(await runOn(old.url, `select name from pets where id = ${id}`)).toBe('Ghost'),
  )
  for (const key of [WRITER, OTHER])
    expect((await get(clientOf(server, key), id)).json).toMatchObject({ name: 'Rex' })
  await old.remove()
})
