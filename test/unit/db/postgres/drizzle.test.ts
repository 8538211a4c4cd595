import { eq, sql } from 'drizzle-orm'
import { boolean, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, it, vi } from 'vitest'
import { createDb } from '../../../../src/db/postgres/drizzle.ts'
import type { Statement } from '../../../../src/db/postgres/statement.ts'

const crates = pgTable('crates', {
  isOpen: boolean('is_open'),
  wereOpen: boolean('were_open').array(),
  label: text(),
})

/** OIDs: boolean, its array, text. */
const TYPES = { is_open: 16, were_open: 1000, label: 25 }

/** A database that answers each statement with these rows of crates. */
function createCrates(...rows: (string | null)[][]) {
  return createDb({
    query: async ({ onColumns }: Statement) => {
      onColumns?.(Object.entries(TYPES).map(([name, type]) => ({ name, type })))
      return rows
    },
  })
}

it('booleans are read, also those in arrays; texts that look alike stay as they are', async () => {
  const db = createCrates(['t', '{t,f,NULL}', 't'], ['f', '{}', 'f'], [null, null, null])
  expect(await db.select().from(crates)).toEqual([
    { isOpen: true, wereOpen: [true, false, null], label: 't' },
    { isOpen: false, wereOpen: [], label: 'f' },
    { isOpen: null, wereOpen: null, label: null },
  ])
  expect(await db.execute(sql`select * from ${crates}`)).toEqual([
    { is_open: true, were_open: [true, false, null], label: 't' },
    { is_open: false, were_open: [], label: 'f' },
    { is_open: null, were_open: null, label: null },
  ])
})

it('texts, numbers, booleans and NULL are sent as Postgres reads them', async () => {
  const query = vi.fn(async () => [])
  const db = createDb({ query })
  await db.insert(crates).values({ isOpen: true, wereOpen: [true, false], label: null })
  await db.execute(sql`select ${'a'}, ${7}, ${8n}, ${false}, ${null} from ${crates}`)
  expect(query.mock.calls).toMatchObject([
    [{ parameters: ['true', '{true,false}', null] }],
    [{ parameters: ['a', '7', '8', 'false', null] }],
  ])
})

it.each([
  ['select crates', sql`select from ${crates}`],
  ['select crates', sql`\n  select from (select from ${crates} limit 1) as first`],
  ['select crates', sql`select from (select from ${crates}) as every`],
  ['select crate_ids', sql`select exists (select from ${crates}) from ${sql.identifier('crate_ids')}`],
  ['select crates', sql`select count(*) from ${crates};`],
  ['update crates', sql`update ${crates} set label = (select max(label) from ${sql.identifier('boxes')})`],
  ['with crates', sql`with a as (delete from ${crates} returning label) select from a`],
])('a statement is named after what it does, and to which table: %s', async (name, statement) => {
  const query = vi.fn(async () => [])
  await createDb({ query }).execute(statement)
  expect(query.mock.calls).toMatchObject([[{ name }]])
})

it.each([
  ['names no table', sql`select set_config('a', 'b', true)`],
  ['names a schema', sql`select from "a"."crates"`],
  ['does not begin with what it does', sql`/* why */ select from ${crates}`],
])('a statement is not sent without a name: one that %s', async (_, statement) => {
  const query = vi.fn(async () => [])
  const message = expect.stringContaining('use fixedStatement') as string
  await expect(createDb({ query }).execute(statement)).rejects.toMatchObject({ cause: { message } })
  expect(query).not.toHaveBeenCalled()
})

it.each([[undefined], [{ label: 'a' }], [new Date(0)]])('no other value is sent: %j', async (value) => {
  const query = vi.fn(async () => [])
  const db = createDb({ query })
  const found = db
    .select()
    .from(crates)
    .where(eq(crates.label, sql`${sql.param(value)}`))
  await expect(found).rejects.toMatchObject({
    cause: {
      message: expect.stringMatching(/^select crates: a value of type \w+ cannot be sent$/) as string,
    },
  })
  expect(query).not.toHaveBeenCalled()
})
