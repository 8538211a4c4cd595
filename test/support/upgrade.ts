/** What an older version has stored, and what a server of this version has to make of it. */
import type { Sql } from 'postgres'
import { expect, onTestFinished } from 'vitest'
import { createClient, idOf, type TestClient } from './client.ts'
import { subscribe } from './event-stream.ts'
import { MIGRATIONS } from './migrations.ts'
import { startProgram } from './process.ts'
import { KEY } from './service.ts'

/** The databases that older versions have left: how many migrations they have, and the last one. */
export const OLDER_VERSIONS = MIGRATIONS.map((tag, index) => ({ tag, count: index + 1 }))

const min = '-9223372036854775808'
const pets = [
  { name: 'Rex', categoryId: '7', status: 'available' },
  { name: 'Émile', categoryId: min, status: null },
  { name: 'rexa', categoryId: '8', status: 'sold' },
] as const

/** Stores what the version at that time would have stored. @returns whether it had idempotency keys */
export async function insertRows(sql: Sql): Promise<boolean> {
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

/** Starts a server on a database with the rows of insertRows, and expects all that it serves to be right. */
export async function expectUpgrade(env: Record<string, string>, hasKeys: boolean): Promise<void> {
  const program = startProgram({ ...env, API_KEYS: `test:${KEY}` })
  const url = await program.ready
  const client = createClient(url, KEY)
  await expectLists(client)
  await expectIdempotency(client, hasKeys)
  await expectEvent(client, url)
}

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
