/** The switch to another Postgres by logical replication, with the statements of docs/postgres.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { runOn, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { ROOT, run } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'
import { KEY } from '../support/service.ts'
import { connectKeepingAlive, endServersAfter, print, report, startServer } from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

endServersAfter(afterEach)

/** Its role `petstore` owns the database `pets`. */
async function start(): Promise<TestPostgres & { owned: string; pets: string }> {
  const server = await startPostgres({ fsync: 'off', wal_level: 'logical' })
  onTestFinished(() => server.remove())
  await runOn(server.url, 'create role petstore login')
  await runOn(server.url, 'create database pets owner petstore')
  const pets = new URL('/pets', server.url)
  const owned = Object.assign(new URL(pets), { username: 'petstore' })
  return { ...server, pets: pets.href, owned: owned.href }
}

/** The statements of the guide: for the old database and the new one, then for the freeze. */
function readStatements(from: TestPostgres): string[] {
  const guide = readFileSync(join(ROOT, 'docs', 'postgres.md'), 'utf8')
  const [, section = ''] = /^### A switch by logical replication$(.*?)^#/ms.exec(guide) ?? []
  const { hostname, port } = new URL(from.url)
  return Array.from(section.matchAll(/^ *```sql\n(.*?)^ *```$/gms), ([, block = '']) => block)
    .join('')
    .replace('host=… dbname=… user=…', `host=${hostname} port=${port} dbname=pets user=postgres`)
    .split('\n')
    .filter((line) => line.trim() !== '')
}

it('loses nothing that was acknowledged, and a running server follows a name that leads to the new database', async () => {
  const [before, after] = [await start(), await start()]
  const proxy = await startProxy(before.owned)
  onTestFinished(() => proxy.close())
  const { url, client } = await startServer({ DATABASE_URL: proxy.url })
  expect(await run({ DATABASE_URL: after.owned }, 'migrate')).toMatchObject({ status: 0 })
  const traffic = startTraffic(connectKeepingAlive(url), { writers: 4, readers: 4 })
  const stream = await subscribe(url, KEY, 'subscription { petChanged(filter: {categoryId: [7]}) { kind } }')

  const [publish = '', subscription = '', freeze = '', end = ''] = readStatements(before)
  await runOn(before.pets, publish)
  await runOn(after.pets, subscription)
  await eventually(async () => {
    const copying = `select count(*) from pg_subscription_rel where srsubstate <> 'r'`
    expect(await runOn(after.pets, copying)).toBe('0')
  })
  await eventually(() => expect(traffic.created.size).toBeGreaterThan(100))
  await runOn(before.pets, freeze)
  await runOn(before.pets, end)

  await eventually(async () =>
    expect((await client.send('/readyz')).json).toEqual({ status: 'ready', database: 'read-only' }),
  )
  const created = traffic.created.size
  expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(503)
  expect((await client.send('/v1/pets')).status).toBe(200)
  expect(traffic.created.size).toBe(created)
  const written = await runOn(before.pets, 'select pg_current_wal_lsn()')
  await eventually(async () =>
    expect(
      await runOn(before.pets, `select (replay_lsn >= '${written}')::text from pg_stat_replication`),
    ).toBe('true'),
  )

  proxy.redirect(after.owned)
  await eventually(async () => expect((await client.send('/readyz')).json).toEqual({ status: 'ready' }))
  await eventually(() => expect(traffic.created.size).toBeGreaterThan(created + 20))
  expect(await stream.next()).toBeNull()
  const again = await subscribe(url, KEY, 'subscription { petChanged(filter: {categoryId: [7]}) { kind } }')
  await client.createPet({ name: 'Rex', categoryId: 7 })
  expect(await again.next()).toMatchObject({ data: { petChanged: { kind: 'created' } } })
  for (const each of [stream, again]) each.abort()
  await traffic.stop()
  expect(await findLost(client, traffic.created)).toEqual([])
  expect([...traffic.failed.keys()]).toEqual([503])
  report(`switch: ${print(traffic.created.size)} acknowledged creations, 0 lost`)
})
