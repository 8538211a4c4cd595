/** The switch to another Postgres by logical replication, and back, with the statements of the guides. */
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { readSql } from '../support/guide.ts'
import { runAllOn, runOn, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { run } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'
import { KEY } from '../support/service.ts'
import { connectKeepingAlive, endServersAfter, print, report, startServer } from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

endServersAfter(afterEach)

/** An older one, from Debian. */
const [debian] = globSync('/usr/lib/postgresql/*/bin').filter((path) => existsSync(join(path, 'postgres')))
if (debian === undefined)
  report('no switch from another version is tested, since there is no PostgreSQL of Debian')

/** Its role `petstore` owns the database `pets`. */
interface Side extends TestPostgres {
  /** The URLs of the database for this role, and for a superuser. */
  owned: string
  pets: string
}

async function start(bin?: string): Promise<Side> {
  const server = await startPostgres({ fsync: 'off', wal_level: 'logical' }, bin)
  onTestFinished(() => server.remove())
  await runOn(server.url, 'create role petstore login')
  await runOn(server.url, 'create database pets owner petstore')
  const pets = new URL('/pets', server.url)
  const owned = Object.assign(new URL(pets), { username: 'petstore' })
  return { ...server, pets: pets.href, owned: owned.href }
}

const [publish = [], [subscription = ''] = [], [countCopying = ''] = [], wait = [], reverse = []] = readSql(
  'docs/postgres.md',
  'A switch by logical replication',
)
const [freeze = [], thaw = []] = readSql('docs/operations.md', 'Maintenance mode')

/** @returns a statement of the guide that subscribes to another side */
function subscribeTo({ url }: Side, statement = ''): string {
  const { hostname, port } = new URL(url)
  return statement.replace(/host=\S+/, `host=${hostname} port=${port}`)
}

/** Makes a side read-only, and waits until its subscriber has everything. */
async function freezeAndDrain({ owned, pets }: Side): Promise<void> {
  await runAllOn(owned, freeze)
  const [readPosition = '', compare = ''] = wait
  const position = await runOn(pets, readPosition)
  await eventually(async () =>
    expect(String(await runOn(pets, compare.replace(/'0\/\w+'/, `'${position}'`)))).toBe('true'),
  )
}

it('loses nothing that was acknowledged, there and back, and a running server follows a name that leads to the new database', async () => {
  const [before, after] = [await start(debian), await start()]
  const proxy = await startProxy(before.owned)
  onTestFinished(() => proxy.close())
  const { url, client } = await startServer({ DATABASE_URL: proxy.url })
  const isReady = (answer: object) => async () =>
    expect((await client.send('/readyz')).json).toEqual({ status: 'ready', ...answer })
  const traffic = startTraffic(connectKeepingAlive(url), { writers: 4, readers: 4 })
  const watch = () => subscribe(url, KEY, 'subscription { petChanged(filter: {categoryId: [7]}) { kind } }')
  const stream = await watch()

  await runAllOn(before.pets, publish)
  expect(await run({ DATABASE_URL: after.owned }, 'migrate')).toMatchObject({ status: 0 })
  await runOn(after.pets, subscribeTo(before, subscription))
  await eventually(async () => expect(String(await runOn(after.pets, countCopying))).toBe('0'))
  await eventually(() => expect(traffic.created.size).toBeGreaterThan(100))

  await freezeAndDrain(before)
  await eventually(isReady({ database: 'read-only' }))
  let created = traffic.created.size
  expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(503)
  expect((await client.send('/v1/pets')).status).toBe(200)
  expect(traffic.created.size).toBe(created)
  await runAllOn(after.pets, publish)
  const [drop = '', follow = ''] = reverse
  await runOn(after.pets, drop)
  await runOn(before.pets, subscribeTo(after, follow))
  proxy.redirect(after.owned)
  await eventually(isReady({}))
  await eventually(() => expect(traffic.created.size).toBeGreaterThan(created + 20))
  expect(await stream.next()).toBeNull()
  const again = await watch()
  await client.createPet({ name: 'Rex', categoryId: 7 })
  expect(await again.next()).toMatchObject({ data: { petChanged: { kind: 'created' } } })
  for (const each of [stream, again]) each.abort()

  await freezeAndDrain(after)
  await runOn(before.pets, drop)
  await runAllOn(before.owned, thaw)
  created = traffic.created.size
  proxy.redirect(before.owned)
  await eventually(isReady({}))
  await eventually(() => expect(traffic.created.size).toBeGreaterThan(created + 20))
  await traffic.stop()
  expect(await findLost(client, traffic.created)).toEqual([])
  expect([...traffic.failed.keys()]).toEqual([503])
  report(`switch there and back: ${print(traffic.created.size)} acknowledged creations, 0 lost`)
})
