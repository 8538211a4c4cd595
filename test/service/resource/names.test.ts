/** Tables, columns and filters may have the names that the statements of a resource use themselves. */
import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { int64Id } from '../../../src/db/columns.ts'
import { POSTGRES_DIALECT } from '../../../src/db/database.ts'
import { EmbeddedDatabase } from '../../../src/db/embedded/embedded-database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { Pool } from '../../../src/db/postgres/pool/pool.ts'
import { fixedStatement, type Statement, type TextRow } from '../../../src/db/postgres/statement.ts'
import { describeResource } from '../../../src/resource/fields/resource.ts'
import { textKey } from '../../../src/resource/fields/text-key.ts'
import { createList } from '../../../src/resource/list.ts'
import { anyOf } from '../../../src/resource/lists/filters.ts'
import type { PageQuery } from '../../../src/resource/lists/page-query.ts'
import { createStore } from '../../../src/resource/store.ts'
import { toHosts } from '../../support/address.ts'
import { conditionsOf } from '../../support/conditions.ts'
import { createDatabase, type TestDatabase } from '../../support/database.ts'
import { CITUS_DIALECT, createFakeDatabase, createRequestData } from '../../unit/support/database.ts'

const folder = new URL('../../unit/resource/sql/', import.meta.url)
const statements = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))
/** Without titles, and without what is quoted: names that have dots, or are of the tests' own. */
const unquoted = statements.join('\n').replaceAll(/^--.*$|"[^"]*"|'[^']*'/gm, '')
/** What the names of placeholders begin with. */
const sent = ['after', 'before', 'page', 'create', 'update', 'idempotency', 'expected', 'isSet', 'ids']

/** All words of the statements; the tables here have an id and an order anyway. */
const fieldNames = new Set([...(unquoted.match(/\b[a-z_]+\b/gi) ?? []), ...sent]).difference(
  new Set(['id', 'order']),
)
/** The aliases of the statements: `… as alias`, `alias as (…)`, `alias.column`. */
const tableNames = new Set(unquoted.match(/(?<=\bas )[a-z_]+|[a-z_]+(?= as\b|\.)/gi))

/** A resource whose table has a text column for each name, with a filter by each. */
function declare(tableName: string, fieldNames: readonly [string, ...string[]]) {
  const forEachName = <Made>(make: (name: string) => Made) =>
    Object.fromEntries(fieldNames.map((name) => [name, make(name)]))
  const [first] = fieldNames
  const table = pgTable(
    tableName,
    {
      id: int64Id().primaryKey(),
      ...forEachName(() => text()),
      order: textKey().notNull().generatedAlwaysAs(sql.identifier(first).getSQL()),
    },
    (columns) =>
      Object.entries(columns).map(([name, column]) =>
        index(`${tableName}_by_${name}`).on(column, columns.id),
      ),
  )
  const resource = describeResource(table, {
    words: { singular: 'thing', plural: 'things' },
    hasEvents: false,
    readRow: ([id, ...values]) => ({
      ...Object.fromEntries(fieldNames.map((name, at) => [name, values[at] ?? null])),
      id: id ?? '',
    }),
  })
  const filters = Object.fromEntries(
    resource.newFields.map(({ name, column }) => [name, anyOf(column, 'values', 9)]),
  )
  const list = createList(resource, { filters, orders: { ID: null, KEY: table.order } })
  const createTable = `create table "${tableName}" (id bigserial primary key, ${fieldNames.map((name) => `"${name}" text`).join()},
    "order" text collate "C" generated always as ("${first}") stored)`
  const whereIn = (values: Record<string, string[]>) => conditionsOf(filters, values)
  return { resource, list, whereIn, forEachName, createTable, first }
}

type Query = (statement: Statement) => Promise<TextRow[]>

async function connect({ env: { DATABASE_URL, DATA_DIR = '' } }: TestDatabase) {
  if (DATABASE_URL !== undefined) return new Pool(toHosts(DATABASE_URL), { size: 4 })
  const embedded = new EmbeddedDatabase(startEmbeddedPostgres(DATA_DIR), [])
  await embedded.open()
  return embedded
}

// On Citus, the tables would have to be distributed. Its statements are plain SQL, too.
describe.skipIf(process.env.TEST_DATABASE === 'citus')(
  'items are created, updated, listed and deleted',
  () => {
    let query: Query
    let close: () => Promise<void>
    beforeAll(async () => {
      const created = await createDatabase()
      const connected = await connect(created)
      query = (statement) => connected.query(statement)
      close = async () => {
        await connected.close()
        await created.remove()
      }
    })
    afterAll(() => close())
    const run = (text: string) => query(fixedStatement('test', sql.raw(text)))

    const dialects = [POSTGRES_DIALECT, CITUS_DIALECT]
    const cases = dialects.flatMap((dialect) => [
      { dialect, table: 'things', fields: [...fieldNames], of: 'whose fields have these names' },
      ...Array.from(tableNames, (table) => ({
        dialect,
        table,
        fields: ['label'],
        of: `whose table is called ${table}`,
      })),
    ])
    it.each(cases)('$of, with the statements for $dialect.name', async ({ dialect, table, fields }) => {
      const [field = '', ...others] = fields
      const {
        resource,
        list,
        whereIn,
        forEachName,
        createTable,
        first: firstField,
      } = declare(table, [field, ...others])
      await run(`drop table if exists "${table}"`)
      await run(createTable)
      const database = createFakeDatabase(query, dialect)
      const requestData = createRequestData(database)
      const store = createStore(resource)

      const [first, second, third] = ['a', 'b', 'c'].map((value) => forEachName((name) => `${name} ${value}`))
      if (!first || !second || !third) expect.unreachable()
      const used = { owner: `client of ${table}`, idempotencyKey: dialect.name }
      expect(await store.create(requestData, first)).toEqual({ id: '1', ...first })
      expect(await store.createOnce(requestData, second, used)).toEqual({ id: '2', ...second })
      expect(await store.find(requestData, '1')).toEqual({ id: '1', ...first })
      expect(await store.update(requestData, '2', third)).toEqual({ id: '2', ...third })
      expect(await store.update(requestData, '2', second, third)).toEqual({ id: '2', ...second })

      const idsOf = async (
        filter: Record<string, string[]>,
        cursors: Pick<PageQuery, 'after' | 'before'> = {},
        field: 'ID' | 'KEY' = 'ID',
      ) => {
        const page = { conditions: whereIn(filter), limit: 5, ...cursors }
        return (await list.load(requestData, { field, direction: 'ASC' }, page)).map(({ id }) => id)
      }
      const [ofFirst = {}, ofBoth = {}] = [[first], [first, second]].map((items) =>
        forEachName((name) => items.map((item) => item[name] ?? '')),
      )
      expect(await idsOf(ofFirst)).toEqual(['1'])
      expect(await idsOf(ofBoth, { before: { id: '2', sortKey: null } })).toEqual(['1'])
      for (const name of fields) {
        expect(await idsOf({ [name]: ofFirst[name] ?? [] })).toEqual(['1'])
        expect(await idsOf({ [name]: ofBoth[name] ?? [] })).toEqual(['1', '2'])
        const further = { after: { id: '1', sortKey: null } }
        expect(await idsOf({ [name]: ofBoth[name] ?? [] }, further)).toEqual(['2'])
      }
      expect(await idsOf({}, { after: { id: '1', sortKey: null } })).toEqual(['2'])
      const afterFirst = { after: { id: '1', sortKey: first[firstField] ?? null } }
      expect(await idsOf({}, afterFirst, 'KEY')).toEqual(['2'])
      expect(await list.count(requestData, whereIn(ofBoth))).toBe(2)
      expect(await store.delete(requestData, '1', first)).toEqual({ id: '1', ...first })
    })
  },
)
