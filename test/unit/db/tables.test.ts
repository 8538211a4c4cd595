import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import * as tables from '../../../src/db/tables.ts'

it('the tables are those of the resources, and all that are declared', () => {
  const declared = Object.values(tables).flatMap((value) => (is(value, PgTable) ? [getTableName(value)] : []))
  expect(tables.withOwnTables(['crates'])).toEqual(['crates', ...declared])
})
