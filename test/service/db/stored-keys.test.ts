/** Commands about API keys: those that run at the same time, and what a rotation gives. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { sql } from 'drizzle-orm'
import { createKey, listKeys, recordKeyUses, revokeKeys, rotateKey } from '../../../src/db/stored-keys.ts'
import { DedicatedConnection } from '../../../src/db/postgres/connections/dedicated-connection.ts'
import { toHosts } from '../../support/address.ts'
import { eventually } from '../../support/eventually.ts'
import { useService } from '../../support/service.ts'

const isPostgres = process.env.TEST_DATABASE === 'postgres'
const service = useService({})

const connect = () => {
  const connection = new DedicatedConnection(toHosts(service.databaseUrl))
  onTestFinished(() => connection[Symbol.asyncDispose]())
  return connection
}
const keyOf = (id: string) => ({ id, name: 'shop', digest: id, expires: undefined })

it.skipIf(!isPostgres)('a name that is revoked while it is rotated gets no new key', async () => {
  const [revoking, rotating] = [connect(), connect()]
  await createKey(revoking, { ...keyOf('first'), scope: 'read' })
  expect(await rotateKey(rotating, keyOf('second'), 60)).toMatchObject({ scope: 'read' })
  let rotated: ReturnType<typeof rotateKey> | undefined
  await revoking.transaction(async () => {
    await revokeKeys(revoking, { name: 'shop' })
    rotated = rotateKey(rotating, keyOf('third'), 60)
    await eventually(async () => expect(await countWaiting()).toBe(1))
  })
  expect(await rotated).toBeNull()
  expect(await listKeys(rotating)).toEqual([])
})

it.skipIf(!isPostgres).each([
  { overlap: 0, title: 'expire at once', remaining: 1 },
  { overlap: 3_600, title: 'expire in an hour', remaining: 3 },
])('of two rotations of one name at once, the keys of the first $title', async ({ overlap, remaining }) => {
  const [blocking, one, other] = [connect(), connect(), connect()]
  const name = `rotated twice, ${overlap}`
  const keyOfName = (id: string) => ({ ...keyOf(`${name}, ${id}`), name })
  await createKey(blocking, { ...keyOfName('first'), scope: 'read' })
  let rotations: ReturnType<typeof rotateKey>[] = []
  await blocking.transaction(async () => {
    await blocking.db.execute(sql`select from "api_keys" where name = ${name} for update`)
    // Both begin before either has changed anything.
    rotations = [rotateKey(one, keyOfName('second'), overlap), rotateKey(other, keyOfName('third'), overlap)]
    await eventually(async () => expect(await countWaiting()).toBe(2))
  })
  const granted = { scope: 'read', expires: null }
  expect(await Promise.all(rotations)).toEqual([granted, granted])
  const keys = (await listKeys(one)).filter((key) => key.name === name)
  expect(keys.filter(({ expires }) => expires === null)).toHaveLength(1)
  const isValid = ({ expires }: (typeof keys)[number]) => expires === null || Date.parse(expires) > Date.now()
  expect(keys.filter(isValid)).toHaveLength(remaining)
})

it.skipIf(!isPostgres).each<[string, (connection: DedicatedConnection, name: string) => Promise<unknown>]>([
  ['a revocation', (connection, name) => revokeKeys(connection, { name })],
  ['a rotation', (connection, name) => rotateKey(connection, { ...keyOf(`new key, ${name}`), name }, 60)],
])('%s of several keys is no deadlock with a server that records their use', async (name, change) => {
  const [blocking, changing, recording] = [connect(), connect(), connect()]
  // A scan finds them in this order.
  const [last, middle, first] = ['z', 'm', 'a'].map((letter) => `${letter}, ${name}`)
  for (const id of [last, middle, first])
    await createKey(blocking, { ...keyOf(String(id)), name, scope: 'read' })
  const results: Promise<unknown>[] = []
  await blocking.transaction(async () => {
    await blocking.db.execute(sql`select from "api_keys" where id = ${middle} for update`)
    results.push(change(changing, name))
    await eventually(async () => expect(await countWaiting()).toBe(1))
    const uses = new Map([first, last].map((id) => [String(id), Date.now()]))
    results.push(recordKeyUses(recording, uses))
    await eventually(async () => expect(await countWaiting()).toBe(2))
  })
  await expect(Promise.all(results)).resolves.toHaveLength(2)
})

describe.skipIf(!isPostgres)('a rotation with an overlap of 60 minutes', () => {
  // Minutes until a key expires; null: never.
  it.each([
    { title: 'no key expires', newest: null, asked: null, older: 60, created: null },
    { title: 'the older key expires first', newest: 30, asked: null, older: 30, created: 30 },
    { title: 'the older key would live on', newest: 90, asked: null, older: 60, created: 90 },
    { title: 'the new key gets an expiry of its own', newest: 90, asked: 20, older: 60, created: 20 },
  ])('if $title', async ({ title, newest, asked, older, created }) => {
    const connection = connect()
    const expiringKey = (id: string, expires: number | null) => ({
      ...{ id: `${title} ${id}`, name: title, digest: `${title} ${id}` },
      expires: expires === null ? undefined : { after: expires * 60 },
    })
    await createKey(connection, { ...expiringKey('oldest', 5), scope: 'write' })
    await createKey(connection, { ...expiringKey('newest', newest), scope: 'read' })
    await rotateKey(connection, expiringKey('created', asked), 3_600)
    const keys = (await listKeys(connection)).filter(({ name }) => name === title)
    const minutesUntil = (time: string | null) =>
      time === null ? null : Math.round((Date.parse(time) - Date.now()) / 60_000)
    expect(keys.map(({ scope, expires }) => [scope, minutesUntil(expires)])).toEqual([
      ['write', 5],
      ['read', older],
      ['read', created],
    ])
  })
})

/** How many statements about keys wait for another transaction. */
async function countWaiting(): Promise<number> {
  const waiting = await service.sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%api_keys%'`
  return waiting.length
}
