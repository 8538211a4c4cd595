/**
 * The statements that create, update and delete the items of a resource on Citus, in the order of those on Postgres (writes/writes.ts).
 * Where they differ, a rule of Citus demands it:
 *
 * - All: a distributed table can have no triggers, and a transaction on several nodes cannot NOTIFY, since it is prepared
 *   (https://www.postgresql.org/docs/current/sql-prepare-transaction.html). So each write returns what its events contain, and the server
 *   sends them (announce-writes.ts).
 * - `createMany` sends VALUES, which go to the shards directly; the rows of INSERT … SELECT pass through the coordinator
 *   (https://docs.citusdata.com/en/stable/develop/reference_dml.html). So the ids are drawn before.
 * - `createManyOnce` has a statement for each item (citus-create-once.ts). For this alone, no rule is known that demands it.
 * - `updateMany` is missing: FOR UPDATE locks the rows of a single shard only
 *   (https://docs.citusdata.com/en/stable/develop/reference_workarounds.html).
 *
 * Pages are different, too: see createCitusPageReader in lists/page-reader.ts. On a real Citus, the tests of the project `citus` run all of
 * them (vitest.config.ts).
 */
import { type SQL, sql } from 'drizzle-orm'
import { requireNotNull } from '../../base/not-null.ts'
import {
  nameOf,
  namesOf,
  placeholder,
  type Statement,
  statementTemplate,
} from '../../db/postgres/statement.ts'
import { nextIdOf } from '../fields/ids.ts'
import type { FieldValues, Item, NewItem, Resource } from '../fields/resource.ts'
import {
  columnNamesOf,
  commaSeparated,
  placeholderOf,
  statementName,
  toSqlValue,
  type TypedName,
} from '../fields/sql-fragments.ts'
import { setFields, toItemValues, whereItem } from '../writes/patches.ts'
import type { Writes } from '../writes/writes.ts'
import { announceWrites } from './announce-writes.ts'
import { buildCitusCreateOnce } from './citus-create-once.ts'

/** Builds the writes on Citus. */
export function buildCitusWrites<TItem extends Item>(resource: Resource<TItem>): Writes<TItem> {
  const { words, table, id, readRow } = resource
  const { columns, returned, returnedByUpdate, announce } = announceWrites(resource)
  const drawIds = statementTemplate(
    'drawIds',
    sql`select ${nextIdOf(resource)}::text from generate_series(1, ${placeholder('count', 'int')})`,
  )
  const createMany = buildCreateMany(resource, returned)
  const createOnce = buildCitusCreateOnce(resource, returned)
  // RETURNING has the former values only if they are read before.
  const update = statementTemplate(
    statementName('update', words.singular),
    sql`
      update ${table} set ${setFields(resource, placeholderOf)}
      from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${placeholderOf(id)} for update) as old
      where ${whereItem(resource)} and ${id.column} = old.${nameOf(id.column)}
      returning ${returnedByUpdate((column) => sql`old.${nameOf(column)}`)}`,
  )
  const remove = statementTemplate(
    statementName('delete', words.singular),
    sql`delete from ${table} where ${whereItem(resource)} returning ${returned}`,
  )
  return {
    async createMany(database, items) {
      const options = { callers: items.length }
      const drawn = await database.query(drawIds.with({ count: String(items.length) }), options)
      const ids = drawn.map(([next]) => requireNotNull(next, 'A drawn id'))
      await announce(database, 'created', database.query(createMany(ids, items), options))
      return ids
    },
    async createManyOnce(database, creations) {
      const creating = creations.map(async (creation) => {
        const [row] = await announce(database, 'created', database.query(createOnce(creation)))
        return row ? readRow(row).id : null
      })
      // All end before one fails: if they are repeated, no key may still be locked by the first try.
      await Promise.allSettled(creating)
      return Promise.all(creating)
    },
    updateMany: null,
    async update(requestData, id, patch, expected) {
      const values = toItemValues(resource, id, { patch, expected })
      const [row] = await announce(requestData.database, 'updated', requestData.query(update.with(values)))
      return row ? readRow(row) : null
    },
    async delete(requestData, id, expected) {
      const values = toItemValues(resource, id, { expected })
      const [row] = await announce(requestData.database, 'deleted', requestData.query(remove.with(values)))
      return row ? readRow(row) : null
    },
  }
}

/** @returns what makes an INSERT of several items, with the ids that they get */
function buildCreateMany<TItem extends Item>(
  { words, table, fields, newFields, id }: Resource<TItem>,
  returned: SQL,
): (ids: readonly string[], items: readonly NewItem<TItem>[]) => Statement {
  const build = (count: number) => {
    const rows = Array.from(
      { length: count },
      (_, row) => sql`(${commaSeparated(fields.map((field) => placeholderOf(inRow(field, row))))})`,
    )
    return statementTemplate(
      statementName('create', words.plural),
      sql`insert into ${table} (${columnNamesOf(fields)}) values ${commaSeparated(rows)} returning ${returned}`,
      // Most items are created alone; a plan for every other number of items is not worth its memory.
      { prepare: count === 1 },
    )
  }
  /** By their number of items, which the size of a batch limits. */
  const inserts = new Map<number, ReturnType<typeof build>>()
  return (ids, items) => {
    const values: Record<string, string | null> = {}
    items.forEach((item: FieldValues, row) => {
      values[inRow(id, row).name] = ids[row] ?? null
      for (const field of newFields) values[inRow(field, row).name] = toSqlValue(item[field.name])
    })
    const insert = inserts.get(items.length) ?? build(items.length)
    inserts.set(items.length, insert)
    return insert.with(values)
  }
}

/** The field of one of several rows. */
function inRow({ name, type }: TypedName, row: number): TypedName {
  return { name: `${name}.${row}`, type }
}
