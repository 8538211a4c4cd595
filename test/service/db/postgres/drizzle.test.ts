/** A resolver may use Drizzle: `requestData.db` is its query builder, over the pool. */
import { count, eq, sql } from 'drizzle-orm'
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Db } from '../../../../src/db/postgres/drizzle.ts'
import { apiKeyScope } from '../../../../src/db/tables.ts'
import { petStore, type Pet, petTable } from '../../../../src/pets/pet-resource.ts'
import { errorsIn, useService } from '../../../support/service.ts'
import { lockPets } from '../../../support/table-lock.ts'

const service = useService()

const rex = { id: '9007199254740993', name: 'Rex', categoryId: '-7', status: 'sold' } as const
const luna = { id: '2', name: 'Luna', categoryId: '8', status: null }

beforeEach(async () => {
  await service.clear()
  await service.sql`insert into pets (id, name, category_id, status) values (${rex.id}, 'Rex', -7, 'sold'), (2, 'Luna', 8, null)`
})

/** Asks for a pet. @param resolve what the resolver does */
function askFor(id: string, resolve: (db: Db, id: string) => Promise<Pet | null>) {
  vi.spyOn(petStore, 'find').mockImplementation(({ db }, found) => resolve(db, found))
  return service.client.graphql('query ($id: ID!) { pet(id: $id) { id name categoryId status } }', { id })
}

const findById = (db: Db, id: string) => db.select().from(petTable).where(eq(petTable.id, id))
const resolveById = async (db: Db, id: string) => (await findById(db, id))[0] ?? null

/** @returns what a resolver gets */
async function run<Result>(use: (db: Db) => Promise<Result>): Promise<Result | undefined> {
  let result: Result | undefined
  await askFor('1', async (db) => {
    result = await use(db)
    return null
  })
  return result
}

it('a query of the builder resolves a field: its result has the type that GraphQL expects', async () => {
  expect((await askFor(rex.id, resolveById)).data).toEqual({ pet: rex })
  expect((await askFor(luna.id, resolveById)).data).toEqual({ pet: luna })
  expect((await askFor('3', resolveById)).data).toEqual({ pet: null })
})

it('the query builder inserts, updates, deletes and counts', async () => {
  const values = { ...luna, id: '3', name: `"'\\{}` }
  const stored = { ...values, nameKey: values.name }
  expect(await run((db) => db.insert(petTable).values(values).returning())).toMatchObject([stored])
  const update = (db: Db) => db.update(petTable).set({ status: 'sold' }).where(eq(petTable.id, '3'))
  expect(await run((db) => update(db).returning())).toMatchObject([{ ...stored, status: 'sold' }])
  expect(await run((db) => db.select({ sold: count(petTable.status) }).from(petTable))).toEqual([{ sold: 2 }])
  expect(await run((db) => db.delete(petTable).where(eq(petTable.id, '3')))).toEqual([])
  expect(await run((db) => db.$count(petTable))).toBe(2)
  const drawn = await run((db) => db.insert(petTable).values({ name: 'New', categoryId: '1' }).returning())
  expect(drawn).toMatchObject([{ id: expect.stringMatching(/^\d+$/) as string, status: null }])
})

it('a prepared query takes values for its placeholders', async () => {
  const found = await run((db) => {
    const select = db
      .select({ name: petTable.name })
      .from(petTable)
      .where(eq(petTable.id, sql.placeholder('id')))
    const prepared = select.prepare('find')
    return Promise.all([rex.id, '2', '4'].map((id) => prepared.execute({ id })))
  })
  expect(found).toEqual([[{ name: 'Rex' }], [{ name: 'Luna' }], []])
})

/** The keys, declared with Drizzle's own type of a time. */
const timedKeys = pgTable('api_keys', {
  id: text(),
  name: text(),
  scope: apiKeyScope(),
  digest: text(),
  createdAt: timestamp('created_at', { withTimezone: true }).defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
})

it('values are read as their columns say: times, booleans, null', async () => {
  const expiresAt = new Date('2030-12-05T01:02:03.456Z')
  const key = { id: 'k', name: 'n', scope: 'read', digest: 'd', expiresAt } as const
  const rows = await run((db) => db.insert(timedKeys).values(key).returning())
  await service.sql`delete from api_keys`
  expect(rows).toMatchObject([{ ...key, createdAt: expect.any(Date) as Date, lastUsedAt: null }])
  const isSold = sql<boolean | null>`${petTable.status} = 'sold'`
  const isRex = sql<boolean>`${petTable.name} = 'Rex'`
  expect(await run((db) => db.select({ isSold, isRex }).from(petTable).orderBy(petTable.id))).toEqual([
    { isSold: null, isRex: false },
    { isSold: true, isRex: true },
  ])
})

it('raw SQL returns objects', async () => {
  const raw = sql`select ${petTable.id}, true as yes from ${petTable} order by ${petTable.id}`
  expect(await run((db) => db.execute(raw))).toEqual([
    { id: '2', yes: true },
    { id: rex.id, yes: true },
  ])
})

describe('an error', () => {
  afterEach(() => void (service.log.length = 0))

  it('is masked, and logged without the text and the values of the statement', async () => {
    const answer = await askFor('1', async (db) => {
      await db.insert(petTable).values({ name: 'hidden', categoryId: 'seven' })
      return null
    })
    expect(answer).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL' } }] })
    const logged = { err: { message: 'A statement failed with SQLSTATE 22P02.' } }
    expect(errorsIn(service.log)).toMatchObject([logged])
    expect(JSON.stringify([answer, service.log])).not.toMatch(/hidden|seven|insert /i)
  })

  it('of a statement that takes too long is TIMEOUT', async ({ skip }) => {
    skip(process.env.TEST_DATABASE === 'embedded', 'PGlite has no second session to hold a lock')
    const lock = await lockPets(service.databaseUrl)
    const answer = await askFor(rex.id, resolveById)
    await lock.release()
    expect(answer).toMatchObject({ status: 504, errors: [{ extensions: { code: 'TIMEOUT' } }] })
  })
})
