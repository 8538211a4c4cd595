import { getTableName, is, lt, sql } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { expect, expectTypeOf, it } from 'vitest'
import * as tables from '../../../src/db/tables.ts'

it('the tables are those of the resources, and all that are declared', () => {
  const declared = Object.values(tables).flatMap((value) => (is(value, PgTable) ? [getTableName(value)] : []))
  expect(tables.withOwnTables(['crates'])).toEqual(['crates', ...declared])
})

it('only SQL sets a time or compares with one: a value does not compile', () => {
  type NewKey = typeof tables.apiKeys.$inferInsert
  expectTypeOf<Date>().not.toExtend<NewKey['expiresAt']>()
  expectTypeOf<string>().not.toExtend<NewKey['expiresAt']>()
  lt(tables.apiKeys.expiresAt, sql`now()`)
  // @ts-expect-error A number is no moment.
  lt(tables.apiKeys.expiresAt, 5)
})
