/**
 * Creates, updates and deletes items on Citus, as writes.ts does on Postgres. There are no triggers, so each statement returns what is
 * announced.
 */
import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
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
  join,
  placeholderOf,
  placeholdersOf,
  statementName,
  toSqlValue,
  type TypedName,
} from '../fields/sql-fragments.ts'
import { setFields, toItemValues, whereItem } from '../writes/patches.ts'
import type { Writes } from '../writes/writes.ts'
import { announcedColumnsOf, createAnnounce } from './announce-writes.ts'
import { buildCitusCreateOnce } from './citus-create-once.ts'

/** Builds the writes on Citus. */
export function createCitusWrites<TItem extends Item>(resource: Resource<TItem>): Writes<TItem> {
  const { words, table, id, readRow } = resource
  const announce = createAnnounce(resource)
  const columns = announcedColumnsOf(resource)
  const drawIds = statementTemplate(
    'drawIds',
    sql`select ${nextIdOf(resource)}::text from generate_series(1, ${placeholder('count', 'int')})`,
  )
  const insert = buildInsert(resource, columns)
  const createOnce = buildCitusCreateOnce(resource, columns)
  const update = statementTemplate(
    statementName('update', words.singular),
    sql`
      update ${table} set ${setFields(resource, placeholderOf)}
      from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${placeholderOf(id)} for update) as old
      where ${whereItem(resource)} and ${id.column} = old.${nameOf(id.column)}
      returning ${join(columns)}, ${join(columns.map((column) => sql`old.${nameOf(column)}`))}`,
  )
  const remove = statementTemplate(
    statementName('delete', words.singular),
    sql`delete from ${table} where ${whereItem(resource)} returning ${join(columns)}`,
  )

  return {
    async create(database, items) {
      const options = { callers: items.length }
      const drawn = await database.query(drawIds.with({ count: String(items.length) }), options)
      const ids = drawn.map(([id]) => requireNotNull(id, 'A drawn id'))
      await announce(database, 'created', database.query(insert(ids, items), options))
      return ids
    },
    async createOnce(database, creations) {
      const creating = creations.map(async (creation) => {
        const [row] = await announce(database, 'created', database.query(createOnce(creation)))
        return row?.[0] ?? null
      })
      // All end before one fails: if they are repeated, no key may still be locked by the first try.
      await Promise.allSettled(creating)
      return Promise.all(creating)
    },
    // A statement locks the rows of a single shard only.
    updateMany: null,
    async update(requestData, id, patch, expected) {
      const writing = requestData.query(update.with(toItemValues(resource, id, { patch, expected })))
      const [row] = await announce(requestData.database, 'updated', writing)
      return row ? readRow(row) : null
    },
    async delete(requestData, id, expected) {
      const writing = requestData.query(remove.with(toItemValues(resource, id, { expected })))
      const [row] = await announce(requestData.database, 'deleted', writing)
      return row ? readRow(row) : null
    },
  }
}

/** One INSERT for several items: Citus sends VALUES to the shards directly, and takes much longer for INSERT … SELECT. */
function buildInsert<TItem extends Item>(
  { words, table, fields, newFields, id }: Resource<TItem>,
  returned: readonly PgColumn[],
): (ids: readonly string[], items: readonly NewItem<TItem>[]) => Statement {
  const build = (count: number) => {
    const rows = Array.from(
      { length: count },
      (_, row) => sql`(${placeholdersOf(fields.map((field) => inRow(field, row)))})`,
    )
    return statementTemplate(
      statementName('create', words.plural),
      sql`insert into ${table} (${columnNamesOf(fields)}) values ${join(rows)} returning ${join(returned)}`,
      // Most items are created alone; a plan for every other number of items is not worth its memory.
      { prepare: count === 1 },
    )
  }
  /** By their number of items, which the size of a batch limits. */
  const inserts: ReturnType<typeof build>[] = []
  return (ids, items) => {
    const values: Record<string, string | null> = {}
    items.forEach((item: FieldValues, row) => {
      values[inRow(id, row).name] = ids[row] ?? null
      for (const field of newFields) values[inRow(field, row).name] = toSqlValue(item[field.name])
    })
    return (inserts[items.length] ??= build(items.length)).with(values)
  }
}

/** The field of one of several rows. */
function inRow({ name, type }: TypedName, row: number): TypedName {
  return { name: `${name}.${row}`, type }
}
