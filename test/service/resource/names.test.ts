/** Columns and filters may have the names that the statements of a resource use themselves. */
import { sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { int64Id } from '../../../src/db/columns.ts'
import { POSTGRES_DIALECT } from '../../../src/db/database.ts'
import { Pool } from '../../../src/db/postgres/pool.ts'
import { describeResource } from '../../../src/resource/fields/resource.ts'
import { textKey } from '../../../src/resource/fields/text-key.ts'
import { createList } from '../../../src/resource/lists/list.ts'
import { anyOf } from '../../../src/resource/lists/filters.ts'
import { createStore } from '../../../src/resource/store.ts'
import { toHosts } from '../../support/address.ts'
import { createMigratedDatabase } from '../../support/database.ts'
import { CITUS_DIALECT, createFakeDatabase, createRequestData } from '../../unit/support/database.ts'

const names = [
  ...['number', 'key', 'value', 'maximum', 'text', 'at', 'count', 'limit', 'limits', 'values', 'ids'],
  ...['sortKeys', 'startId', 'startKey', 'endId', 'endKey', 'owner', 'fingerprint', 'expected', 'isSet'],
  ...['request', 'requested', 'numbered', 'claimed', 'wanted', 'created', 'locked', 'old'],
  ...['page', 'item', 'part', 'found', 'one'],
]
const forEachName = <Made>(make: (name: string) => Made) =>
  Object.fromEntries(names.map((name) => [name, make(name)]))

const things = pgTable(
  'things',
  {
    id: int64Id().primaryKey(),
    ...forEachName(() => text()),
    order: textKey()
      .notNull()
      .generatedAlwaysAs(sql`"number"`),
  },
  (columns) =>
    Object.entries(columns).map(([name, column]) => index(`things_${name}`).on(column, columns.id)),
)

const resource = describeResource(things, {
  words: { singular: 'thing', plural: 'things' },
  hasEvents: false,
  readRow: ([id, ...values]) => ({
    ...Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])),
    id: id ?? '',
  }),
})
const filters = Object.fromEntries(
  resource.newFields.map(({ name, column }) => [name, anyOf<string>(column, 'values', 9)]),
)
const list = createList(resource, { filters, orders: { ID: null, KEY: things.order } })

const createTable = `create table things (id bigserial primary key, ${names.map((name) => `"${name}" text`).join()},
  "order" text collate "C" generated always as (number) stored)`

// The statements for Citus are plain SQL, too.
describe.skipIf(process.env.TEST_DATABASE !== 'postgres').each([POSTGRES_DIALECT, CITUS_DIALECT])(
  'with the statements for $name',
  (dialect) => {
    it('they are created, updated, listed and deleted', async () => {
      const created = await createMigratedDatabase()
      onTestFinished(() => created.remove())
      const client = created.connect()
      await client.unsafe(createTable)
      await client.end()
      const pool = new Pool(toHosts(created.env.DATABASE_URL), { size: 4 })
      onTestFinished(() => pool.close())
      const database = { ...createFakeDatabase((statement) => pool.query(statement)), dialect }
      const requestData = createRequestData(database)
      const store = createStore(resource)

      const [first, second, third] = ['a', 'b', 'c'].map((value) => forEachName((name) => `${name} ${value}`))
      if (!first || !second || !third) expect.unreachable()
      const used = { owner: 'client', idempotencyKey: 'key' }
      expect(await store.create(requestData, first)).toEqual({ id: '1', ...first })
      expect(await store.createOnce(requestData, second, used)).toEqual({ id: '2', ...second })
      expect(await store.find(requestData, '1')).toEqual({ id: '1', ...first })
      expect(await store.update(requestData, '2', third)).toEqual({ id: '2', ...third })
      expect(await store.update(requestData, '2', second, third)).toEqual({ id: '2', ...second })

      const page = { order: { field: 'ID', direction: 'ASC' }, limit: 5 } as const
      const idsOf = async (filter: Record<string, string[]>, more: object = {}) =>
        (await list.load(requestData, { ...page, filter, ...more })).map(({ id }) => id)
      const [ofFirst = {}, ofBoth = {}] = [[first], [first, second]].map((items) =>
        forEachName((name) => items.map((item) => item[name] ?? '')),
      )
      expect(await idsOf(ofFirst)).toEqual(['1'])
      expect(await idsOf(ofBoth, { before: { id: '2', sortKey: null } })).toEqual(['1'])
      for (const name of names) {
        expect(await idsOf({ [name]: ofFirst[name] ?? [] })).toEqual(['1'])
        expect(await idsOf({ [name]: ofBoth[name] ?? [] })).toEqual(['1', '2'])
      }
      const byKey = { order: { field: 'KEY', direction: 'ASC' } }
      expect(await idsOf({}, { ...byKey, after: { id: '1', sortKey: first.number } })).toEqual(['2'])
      expect(await list.count(requestData, ofBoth)).toBe(2)
      expect(await store.delete(requestData, '1', first)).toEqual({ id: '1', ...first })
    })
  },
)
