/** A server of this version on an older version's database: one test per migration that may be the last one applied. */
import type { Sql } from 'postgres'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createClient, idOf, type TestClient } from '../support/client.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { subscribe } from '../support/event-stream.ts'
import { MIGRATIONS, migrateTo } from '../support/migrations.ts'
import { endPrograms, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

const versions = MIGRATIONS.map((tag, index) => ({ tag, count: index + 1 }))
afterEach(endPrograms)

const min = '-9223372036854775808'
const pets = [
  { name: 'Rex', categoryId: '7', status: 'available' },
  { name: 'Émile', categoryId: min, status: null },
  { name: 'rexa', categoryId: '8', status: 'sold' },
] as const

/** Stores what the version at that time would have stored. @returns whether it had idempotency keys */
async function insertRows(sql: Sql): Promise<boolean> {
  for (const { name, categoryId, status } of pets)
    await sql`insert into pets (name, category_id, status) values (${name}, ${categoryId}, ${status})`
  const [found] = await sql<{ name: string | null }[]>`select to_regclass('idempotency_keys')::text as name`
  if (!found?.name) return false
  // The fingerprint of Rex, as version 1 computed it.
  await sql`
    insert into idempotency_keys (owner, key, fingerprint, pet_id, created_at)
    values ('test', 'old', 'rpeRyYWG_o9uQufWY1N7BinnPZdZGfFia3-re7_iisY', 1, now())`
  return true
}

it.each(versions)('a database with the migrations up to $tag is migrated and served', async ({ count }) => {
  const database = await createPostgresDatabase()
  onTestFinished(() => database.remove())
  const sql = database.connect()
  await migrateTo(count, sql)
  const hasKeys = await insertRows(sql)
  await sql.end()

  const program = startProgram({ ...database.env, API_KEYS: `test:${KEY}` })
  const url = await program.ready
  const client = createClient(url, KEY)
  await expectLists(client)
  await expectIdempotency(client, hasKeys)
  await expectEvent(client, url)
})

async function expectLists(client: TestClient): Promise<void> {
  expect((await client.send('/v1/pets')).text).toBe(
    `[{"id":1,"name":"Rex","categoryId":7,"status":"available"},` +
      `{"id":2,"name":"Émile","categoryId":${min}},` +
      `{"id":3,"name":"rexa","categoryId":8,"status":"sold"}]`,
  )
  const list = async (parameters: string) => {
    const { data } = await client.graphql(`{ pets(${parameters}) { nodes { name } totalCount } }`)
    const { nodes, totalCount } = data?.pets as { nodes: { name: string }[]; totalCount: number }
    expect(totalCount).toBe(nodes.length)
    return nodes.map(({ name }) => name)
  }
  expect(await list('filter: { status: [sold, available] }')).toEqual(['Rex', 'rexa'])
  expect(await list(`filter: { categoryId: ["${min}"] }`)).toEqual(['Émile'])
  expect(await list('filter: { namePrefix: "REX" }')).toEqual(['Rex', 'rexa'])
  expect(await list('orderBy: { field: NAME, direction: DESC }')).toEqual(['Émile', 'rexa', 'Rex'])
}

async function expectIdempotency(client: TestClient, hasKeys: boolean): Promise<void> {
  const create = (pet: object, key: string) => client.createPet(pet, { headers: { 'idempotency-key': key } })
  const rex = { name: 'Rex', categoryId: 7, status: 'available' }
  const created = await create(rex, 'old')
  expect([created.status, idOf(created)]).toEqual([201, hasKeys ? '1' : '4'])
  expect((await create(rex, 'old')).text).toBe(created.text)
  expect((await create({ ...rex, name: 'Max' }, 'old')).status).toBe(422)
}

async function expectEvent(client: TestClient, url: string): Promise<void> {
  const stream = await subscribe(url, KEY, 'subscription { petChanged { kind pet { id } } }')
  onTestFinished(() => stream.abort())
  const id = idOf(await client.createPet({ name: 'Luna', categoryId: 1 }))
  expect(await stream.next()).toEqual({ data: { petChanged: { kind: 'created', pet: { id } } } })
}
