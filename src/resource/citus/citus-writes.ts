/**
 * Creates, updates and deletes items on Citus, in SQL that it supports: it rejects stable functions in ON CONFLICT and a NOTIFY
 * from the workers, and takes much longer for INSERT … SELECT than for VALUES. There are no triggers, so that each statement returns
 * what the announcer needs for the events: the columns of the fields, then the sort keys.
 */
import { getTableName, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { RowEvent, RowState } from '../../db/events/event-notifications.ts'
import { statementTemplate, nameOf, namesOf, parameter, type TextRow } from '../../db/postgres/statement.ts'
import { buildCreateOnceOnCitus } from '../writes/idempotency.ts'
import { readParameter, setFields, toItemParameters, whereItem } from '../writes/patches.ts'
import { type Field, type FieldValues, type Item, type Resource, statementName } from '../fields/resource.ts'
import { columnNamesOf, join, nextIdOf, parametersOf, toSqlParameter } from '../fields/sql-fragments.ts'
import type { Writes } from '../writes/writes.ts'

export function createCitusWrites<TItem extends Item>(resource: Resource<TItem>): Writes<TItem> {
  const { words, table, fields, newFields, id, sortKeys, readRow, hasEvents } = resource
  const columns = [...fields.map(({ column }) => column), ...sortKeys]

  const drawIds = statementTemplate(
    'drawIds',
    sql`select ${nextIdOf(resource)}::text from generate_series(1, ${parameter('count', 'int')})`,
  )
  /** Citus sends VALUES to the shards directly. */
  const buildInsert = (count: number) => {
    const rows = Array.from(
      { length: count },
      (_, row) => sql`(${parametersOf(fields.map((field) => inRow(field, row)))})`,
    )
    return statementTemplate(
      statementName('create', words.plural),
      sql`insert into ${table} (${columnNamesOf(fields)}) values ${join(rows)} returning ${join(columns)}`,
      // Most items are created alone; a plan for every other number of items is not worth its memory.
      { prepare: count === 1 },
    )
  }
  /** The statements by their number of items, which the size of a batch limits. */
  const inserts: ReturnType<typeof buildInsert>[] = []
  const createOnce = buildCreateOnceOnCitus(resource, columns)
  const update = statementTemplate(
    statementName('update', words.singular),
    sql`
      update ${table} set ${setFields(resource, readParameter)}
      from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${parametersOf([id])} for update) as old
      where ${whereItem(resource)} and ${id.column} = old.${nameOf(id.column)}
      returning ${join(columns)}, ${join(columns.map((column) => sql`old.${nameOf(column)}`))}`,
  )
  const remove = statementTemplate(
    statementName('delete', words.singular),
    sql`delete from ${table} where ${whereItem(resource)} returning ${join(columns)}`,
  )
  /** Tells the subscribers of all servers about the rows that a write returns; after an update, with their former values. */
  function announce(
    { dialect: { announcer } }: Database,
    kind: RowEvent['kind'],
    writing: Promise<TextRow[]>,
  ) {
    if (!announcer || !hasEvents) return writing
    return announcer.announce(writing, (rows) =>
      rows.map((row) => ({
        table: getTableName(table),
        kind,
        row: toState(row),
        before: kind === 'updated' ? toState(row.slice(columns.length)) : null,
      })),
    )
  }

  function toState(row: TextRow): RowState {
    const item: FieldValues = readRow(row)
    return Object.fromEntries([
      ...fields.map(({ name, column }) => [column.name, item[name] ?? null] as const),
      ...sortKeys.map(({ name }, index) => [name, row[fields.length + index] ?? null] as const),
    ])
  }

  return {
    // Citus locks the rows of a single shard only, so each item is updated alone.
    updateMany: () => Promise.resolve([]),
    async create(database, items) {
      const options = { callers: items.length }
      const ids = await database.query(drawIds.with({ count: String(items.length) }), options)
      const values: Record<string, string | null> = {}
      items.forEach((item: FieldValues, row) => {
        values[inRow(id, row).name] = ids[row]?.[0] ?? null
        for (const field of newFields) values[inRow(field, row).name] = toSqlParameter(item[field.name])
      })
      const insert = (inserts[items.length] ??= buildInsert(items.length))
      await announce(database, 'created', database.query(insert.with(values), options))
      return ids.map(([id = null]) => id)
    },
    createOnce: (database, creations) =>
      Promise.all(
        creations.map(async (creation) => {
          const [row] = await announce(database, 'created', database.query(createOnce(creation)))
          return row?.[0] ?? null
        }),
      ),
    async update(requestData, id, patch, expected) {
      const writing = requestData.query(update.with(toItemParameters(resource, id, { patch, expected })))
      const [row] = await announce(requestData.database, 'updated', writing)
      return row ? readRow(row) : null
    },
    async delete(requestData, id, expected) {
      const writing = requestData.query(remove.with(toItemParameters(resource, id, { expected })))
      const [row] = await announce(requestData.database, 'deleted', writing)
      return row ? readRow(row) : null
    },
  }
}

function inRow(field: Field, row: number): Field {
  return { ...field, name: `${field.name}.${row}` }
}
