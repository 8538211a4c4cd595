/**
 * The statements that create, update and delete the items of a resource on Citus, in the order of those on Postgres (writes/writes.ts).
 * Where they differ, a rule of Citus demands it:
 *
 * - All: a distributed table can have no triggers, and a transaction on several nodes cannot NOTIFY, since it is prepared
 *   (https://www.postgresql.org/docs/current/sql-prepare-transaction.html). So the server announces its writes (announced-writes.ts).
 * - `createMany` sends VALUES, which go to the shards directly; the rows of INSERT … SELECT pass through the coordinator
 *   (https://docs.citusdata.com/en/stable/develop/reference_dml.html). So the ids are drawn before.
 * - `createManyOnce` has a statement for each item: "Subqueries within INSERT queries are not supported"
 *   (https://docs.citusdata.com/en/stable/develop/reference_workarounds.html). docs/decisions.md, 27, says what has not been tried.
 * - `updateMany` is missing: FOR UPDATE locks the rows of a single shard only (the same page).
 *
 * On a real Citus, the tests of the project `citus` run all of them (vitest.config.ts).
 */
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { toError } from '../../base/thrown.ts'
import { nameOf, namesOf } from '../../db/postgres/sql-parts.ts'
import { placeholder, statementTemplate } from '../../db/postgres/statement.ts'
import { nextIdOf, withFreeIds } from '../fields/ids.ts'
import type { FieldValues, Item, Resource } from '../fields/resource.ts'
import { rowStateColumnsOf } from '../fields/row-state.ts'
import {
  columnNamesOf,
  commaSeparated,
  placeholderOf,
  severalRows,
  statementName,
  toSqlValues,
} from '../fields/sql-fragments.ts'
import {
  claimKeys,
  type Creation,
  creationFieldsOf,
  lockKey,
  toCreationValues,
} from '../writes/create-once.ts'
import { setFields, toItemValues, whereItem } from '../writes/patches.ts'
import type { Writes } from '../writes/writes.ts'
import { announcedWrite, ownRunner, type Runner, sharedRunner } from './announced-writes.ts'

/** Builds the writes on Citus. */
export function buildCitusWrites<TItem extends Item>(resource: Resource<TItem>): Writes<TItem> {
  const { words, table } = resource
  const drawIds = statementTemplate(
    statementName('draw', `${words.singular}Ids`),
    sql`select ${nextIdOf(resource)}::text from generate_series(1, ${placeholder('count', 'int')})`,
    { placeholders: ['count'] },
  )
  const insert = buildInsert(resource)
  const createOnce = buildCreateOnce(resource)
  const update = announcedWrite(resource, 'updated', updateTemplateOf(resource))
  const remove = announcedWrite(
    resource,
    'deleted',
    statementTemplate(
      statementName('delete', words.singular),
      sql`delete from ${table} where ${whereItem(resource)} ${returningState(resource)}`,
    ),
  )
  return {
    async createMany(shared, items) {
      const runner = sharedRunner(shared, items.length)
      return withFreeIds(shared, resource, async () => {
        const drawn = await runner.query(drawIds.with({ count: String(items.length) }))
        const ids = drawn.map(([next]) => requireNotNull(next, 'A drawn id'))
        await insert(
          runner,
          items.map((item, index) => ({ ...item, id: ids[index] })),
        )
        return ids
      })
    },
    async createManyOnce(shared, creations) {
      const runner = sharedRunner(shared, 1)
      // At once: the statements of one name share a queue of the pool, which bounds how many run.
      const created = await Promise.allSettled(
        creations.map((creation) => withFreeIds(shared, resource, () => createOnce(runner, creation))),
      )
      return created.map((one) => {
        if (one.status === 'rejected') return toError(one.reason)
        return one.value[0]?.id ?? null
      })
    },
    updateMany: null,
    async update(requestData, id, patch, expected) {
      const values = toItemValues(resource, id, { patch, expected })
      const [item] = await update(ownRunner(requestData), values)
      return item ?? null
    },
    async delete(requestData, id, expected) {
      const [item] = await remove(ownRunner(requestData), toItemValues(resource, id, { expected }))
      return item ?? null
    },
  }
}

/** What an event contains. */
function returningState(resource: Resource): SQL {
  return sql`returning ${commaSeparated(rowStateColumnsOf(resource))}`
}

/** Inserts items, which have their ids already. */
type Insert<TItem extends Item> = (runner: Runner, items: readonly FieldValues[]) => Promise<TItem[]>

/** @returns what inserts any number of items */
function buildInsert<TItem extends Item>(resource: Resource<TItem>): Insert<TItem> {
  const { words, table, fields } = resource
  function buildFor(count: number): Insert<TItem> {
    const rows = severalRows(fields, count)
    const template = statementTemplate(
      statementName('create', words.plural),
      sql`insert into ${table} (${columnNamesOf(fields)}) values ${rows.placeholders} ${returningState(resource)}`,
      // Most items are created alone; a plan for every other number of items is not worth its memory.
      { prepare: count === 1 },
    )
    const insert = announcedWrite(resource, 'created', template)
    return (runner, items) => insert(runner, rows.valuesOf(items))
  }
  /** By the number of items, which the size of a batch limits. */
  const inserts = new Map<number, Insert<TItem>>()
  return (runner, items) => {
    const insert = inserts.get(items.length) ?? buildFor(items.length)
    inserts.set(items.length, insert)
    return insert(runner, items)
  }
}

/**
 * The statement of writes/create-once.ts for one item. `wanted` reads no table, so the coordinator runs it: the id, the lock and the time
 * come from there.
 * @returns what runs it; no item: its key could not be claimed
 */
function buildCreateOnce<TItem extends Item>(
  resource: Resource<TItem>,
): (runner: Runner, creation: Creation<TItem>) => Promise<TItem[]> {
  const { words, table, fields, newFields } = resource
  const sent = creationFieldsOf(resource)
  const wanted = { itemId: sql`id`, createdAt: sql`at` }
  const template = statementTemplate(
    `${statementName('create', words.singular)}Once`,
    sql`
      with wanted as materialized (
        select ${nextIdOf(resource)} as ${wanted.itemId}, now() as ${wanted.createdAt} where ${lockKey(placeholderOf)}
      ), ${claimKeys(placeholderOf, wanted, sql`from wanted`)}
      insert into ${table} (${columnNamesOf(fields)})
      select claimed.id, ${commaSeparated(newFields.map(placeholderOf))} from claimed ${returningState(resource)}`,
  )
  const create = announcedWrite(resource, 'created', template)
  return (runner, creation) => create(runner, toSqlValues(sent, toCreationValues(creation)))
}

/**
 * RETURNING has the new values. So a subquery reads the item before the update, and locks it; what it has read is returned after them. The
 * dot keeps its name apart from that of the table.
 */
function updateTemplateOf(resource: Resource) {
  const { words, table, id } = resource
  const columns = rowStateColumnsOf(resource)
  const former = (column: PgColumn) => sql`"update.former".${nameOf(column)}`
  return statementTemplate(
    statementName('update', words.singular),
    sql`
      update ${table} set ${setFields(resource, placeholderOf)}
      from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${placeholderOf(id)} for update) as "update.former"
      where ${whereItem(resource)} and ${id.column} = ${former(id.column)}
      ${returningState(resource)}, ${commaSeparated(columns.map(former))}`,
  )
}
