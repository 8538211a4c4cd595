/** The statements that create, update and delete the items of a resource on Postgres; citus/citus-writes.ts has those on Citus. */
import { sql } from 'drizzle-orm'
import { requireNotNull } from '../../base/not-null.ts'
import type { SharedDatabase } from '../../db/database.ts'
import { nameOf } from '../../db/postgres/sql-parts.ts'
import { queryBuilder, type Statement, statementTemplate } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { nextIdOf, withFreeIds } from '../fields/ids.ts'
import type { Item, NewItem, Patch, Resource } from '../fields/resource.ts'
import {
  columnNamesOf,
  commaSeparated,
  type TypedName,
  placeholderOf,
  statementName,
  severalItems,
} from '../fields/sql-fragments.ts'
import { buildCreateManyOnce, type Creation } from './create-once.ts'
import { patchNamesOf, setFields, toItemValues, toPatchValues, whereItem } from './patches.ts'

export interface Update<TItem extends Item> {
  id: string
  patch: Patch<TItem>
}

export interface Writes<TItem extends Item> {
  /** Creates items, all or none. @returns their ids, in order @throws as withFreeIds */
  createMany: (shared: SharedDatabase, items: readonly NewItem<TItem>[]) => Promise<string[]>
  /**
   * Creates each item if its idempotency key can be claimed; no two have the same key.
   * @returns their ids, in order; null: not created; an error: where each item has a statement of its own, this one's has failed
   * @throws as withFreeIds, if they have one statement: then none has been created
   */
  createManyOnce: (
    shared: SharedDatabase,
    creations: readonly Creation<TItem>[],
  ) => Promise<(string | Error | null)[]>
  /**
   * Updates several items, whatever their values. One that another transaction is writing is left out: nothing waits, so no item can hold
   * up the others, and there are no deadlocks. Null: the database has no such statement.
   * @param updates no two of one item @returns the items that were updated
   */
  updateMany: ((shared: SharedDatabase, updates: readonly Update<TItem>[]) => Promise<TItem[]>) | null
  /** @returns null if no item has the id and is as expected */
  update: (
    requestData: RequestData,
    id: string,
    patch: Patch<TItem>,
    expected: Patch<TItem>,
  ) => Promise<TItem | null>
  /** @returns the item as it was; null if no item has the id and is as expected */
  delete: (requestData: RequestData, id: string, expected: Patch<TItem>) => Promise<TItem | null>
}

/** Builds the writes on Postgres. */
export function buildWrites<TItem extends Item>(resource: Resource<TItem>): Writes<TItem> {
  const { words, table, columns, id, fields, newFields, readRow } = resource
  const newItems = severalItems(newFields)
  const createMany = statementTemplate(
    statementName('create', words.plural),
    // The dot keeps the name of the number apart from those of columns.
    sql`
      with numbered as materialized (
        select "create.number", ${nextIdOf(resource)} as ${nameOf(id.column)}, ${columnNamesOf(newFields)}
        from unnest(${newItems.placeholders}) with ordinality as request (${columnNamesOf(newFields)}, "create.number")
      ), created as (
        insert into ${table} (${columnNamesOf(fields)}) select ${columnNamesOf(fields)} from numbered
      )
      select ${nameOf(id.column)} from numbered order by "create.number"`,
  )
  const createManyOnce = buildCreateManyOnce(resource)
  const updateMany = buildUpdateMany(resource)
  const update = statementTemplate(
    statementName('update', words.singular),
    sql`
      update ${table} set ${setFields(resource, placeholderOf)} where ${whereItem(resource)}
      returning ${commaSeparated(Object.values(columns))}`,
  )
  const remove = statementTemplate(
    statementName('delete', words.singular),
    queryBuilder.delete(table).where(whereItem(resource)).returning(columns),
  )
  return {
    async createMany(shared, items) {
      const statement = createMany.with(newItems.valuesOf(items))
      const rows = await withFreeIds(shared, resource, () =>
        shared.query(statement, { callers: items.length }),
      )
      return rows.map(([created]) => requireNotNull(created, 'The id of a created row'))
    },
    async createManyOnce(shared, creations) {
      const statement = createManyOnce(creations)
      const rows = await withFreeIds(shared, resource, () =>
        shared.query(statement, { callers: creations.length }),
      )
      return rows.map(([created = null]) => created)
    },
    async updateMany(shared, requested) {
      const rows = await shared.query(updateMany(requested), { callers: requested.length })
      return rows.map(readRow)
    },
    async update(requestData, id, patch, expected) {
      const values = toItemValues(resource, id, { patch, expected })
      const [row] = await requestData.query(update.with(values))
      return row ? readRow(row) : null
    },
    async delete(requestData, id, expected) {
      const [row] = await requestData.query(remove.with(toItemValues(resource, id, { expected })))
      return row ? readRow(row) : null
    },
  }
}

/**
 * One UPDATE for several items. It locks those that are free, at their newest version, and skips the others, so it never waits. The dots
 * keep its names apart from that of the table.
 */
function buildUpdateMany<TItem extends Item>(
  resource: Resource<TItem>,
): (updates: readonly Update<TItem>[]) => Statement {
  const { words, table, columns, id } = resource
  const request = severalItems([id, ...patchNamesOf(resource)])
  const readLocked = ({ name }: TypedName) => sql`"update.locked".${sql.identifier(name)}`
  const statement = statementTemplate(
    statementName('update', words.plural),
    sql`
      with "update.locked" as (
        select "update.sent".*
        from unnest(${request.placeholders}) as "update.sent" (${request.names})
        join ${table} on ${id.column} = "update.sent".${sql.identifier(id.name)} for no key update of ${table} skip locked
      )
      update ${table} set ${setFields(resource, readLocked)} from "update.locked"
      where ${id.column} = ${readLocked(id)} returning ${commaSeparated(Object.values(columns))}`,
  )
  return (updates) =>
    statement.with(
      request.valuesOf(
        updates.map((update) => ({ ...toPatchValues(resource, update.patch), id: update.id })),
      ),
    )
}
