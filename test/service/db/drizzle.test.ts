/** A resolver may use Drizzle: `requestData.db` is its query builder, over the pool. */
import { count, eq, sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { apiKeys } from '../../../src/db/tables.ts'
import { builder } from '../../../src/graphql/schema/builder.ts'
import type { Context } from '../../../src/graphql/schema/context.ts'
import { PetObject } from '../../../src/pets/graphql.ts'
import { pets } from '../../../src/pets/table.ts'
import { lockPets } from '../../support/table-lock.ts'

type Db = Context['requestData']['db']
/** What the resolver of `probe` does. */
let probe: (db: Db) => Promise<unknown>

builder.queryFields((t) => ({
  soldPets: t.field({
    type: [PetObject],
    resolve: (_, __, { requestData: { db } }) =>
      db.select().from(pets).where(eq(pets.status, 'sold')).orderBy(pets.id),
  }),
  probe: t.string({
    resolve: async (_, __, { requestData: { db } }) => JSON.stringify(await probe(db)),
  }),
}))
// The schema is made when the server is loaded.
const { errorsIn, useService } = await import('../../support/service.ts')
const service = useService()

const rex = { id: '9007199254740993', name: 'Rex', categoryId: '-7', status: 'sold' } as const
const luna = { id: '2', name: 'Luna', categoryId: '8', status: null }

beforeEach(async () => {
  await service.clear()
  await service.sql`insert into pets (id, name, category_id, status) values (${rex.id}, 'Rex', -7, 'sold'), (2, 'Luna', 8, null)`
})

async function run(use: typeof probe): Promise<unknown> {
  probe = use
  const { data } = await service.client.graphql('{ probe }')
  return JSON.parse(String(data?.probe))
}

it('a query of the builder resolves a field, whose types fit the graph', async () => {
  const { data } = await service.client.graphql('{ soldPets { id name categoryId status } }')
  expect(data).toEqual({ soldPets: [rex] })
})

it('it writes, with parameters of any type', async () => {
  const values = { ...luna, id: '3', name: `"'\\{}` }
  const stored = { ...values, nameKey: values.name }
  expect(await run((db) => db.insert(pets).values(values).returning())).toEqual([stored])
  const update = (db: Db) => db.update(pets).set({ status: 'sold' }).where(eq(pets.id, '3'))
  expect(await run((db) => update(db).returning())).toEqual([{ ...stored, status: 'sold' }])
  expect(await run((db) => db.select({ sold: count(pets.status) }).from(pets))).toEqual([{ sold: 2 }])
  expect(await run((db) => db.delete(pets).where(eq(pets.id, '3')))).toEqual([])
  expect(await run((db) => db.$count(pets))).toBe(2)
  const drawn = await run((db) => db.insert(pets).values({ name: 'New', categoryId: '1' }).returning())
  expect(drawn).toMatchObject([{ id: expect.stringMatching(/^\d+$/), status: null }])
})

it('a prepared query takes values for its placeholders', async () => {
  const found = await run((db) => {
    const select = db
      .select({ name: pets.name })
      .from(pets)
      .where(eq(pets.id, sql.placeholder('id')))
    const prepared = select.prepare('find')
    return Promise.all([rex.id, '2', '4'].map((id) => prepared.execute({ id })))
  })
  expect(found).toEqual([[{ name: 'Rex' }], [{ name: 'Luna' }], []])
})

it('values are read as their columns say: times, booleans, null', async () => {
  const key = {
    id: 'k',
    name: 'n',
    scope: 'read',
    digest: 'd',
    expiresAt: new Date('2030-12-05T01:02:03.456Z'),
  } as const
  const rows = await run((db) => db.insert(apiKeys).values(key).returning())
  await service.sql`delete from api_keys`
  expect(rows).toMatchObject([{ ...key, expiresAt: key.expiresAt.toISOString(), lastUsedAt: null }])
  const isSold = sql<boolean | null>`${pets.status} = 'sold'`
  const isRex = sql<boolean>`${pets.name} = 'Rex'`
  const select = (db: Db) => db.select({ isSold, isRex }).from(pets).orderBy(pets.id)
  expect(await run(select)).toEqual([
    { isSold: null, isRex: false },
    { isSold: true, isRex: true },
  ])
})

it('raw SQL gives objects', async () => {
  const raw = sql`select ${pets.id}, true as yes from ${pets} order by ${pets.id}`
  expect(await run((db) => db.execute(raw))).toEqual([
    { id: '2', yes: true },
    { id: rex.id, yes: true },
  ])
})

describe('an error', () => {
  afterAll(() => void (service.log.length = 0))

  it('is masked and logged without the text and the values of the statement', async () => {
    probe = (db) => db.insert(pets).values({ name: 'hidden', categoryId: 'seven' })
    const { text, json } = await service.client.send('/graphql', {
      method: 'POST',
      body: { query: '{ probe }' },
    })
    expect(json).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL' } }] })
    expect(errorsIn(service.log)).toMatchObject([
      { err: { message: 'A statement failed with SQLSTATE 22P02.' } },
    ])
    for (const seen of [text, JSON.stringify(service.log)]) expect(seen).not.toMatch(/hidden|seven|insert /i)
  })

  it('of a statement that takes too long is TIMEOUT', async ({ skip }) => {
    skip(process.env.TEST_DATABASE === 'embedded', 'PGlite has no second session to hold a lock')
    const lock = await lockPets(service.databaseUrl)
    const answer = await service.client.graphql('{ soldPets { id } }')
    await lock.release()
    expect(answer).toMatchObject({ status: 504, errors: [{ extensions: { code: 'TIMEOUT' } }] })
  })
})
