/**
 * The statements that create, update and delete the items of a resource on Citus, in the order of those on Postgres (writes/writes.ts).
 * Where they differ, a rule of Citus demands it:
 *
 * - All: a distributed table can have no triggers, and a transaction on several nodes cannot NOTIFY, since it is prepared
 *   (https://www.postgresql.org/docs/current/sql-prepare-transaction.html). So the server announces its writes (announced-writes.ts,
 *   which has the update and the deletion).
 * - `createMany` sends VALUES, which go to the shards directly; the rows of INSERT … SELECT pass through the coordinator
 *   (https://docs.citusdata.com/en/stable/develop/reference_dml.html). So the ids are drawn before.
 * - `createManyOnce` has a statement for each item: "Subqueries within INSERT queries are not supported"
 *   (https://docs.citusdata.com/en/stable/develop/reference_workarounds.html). docs/decisions.md, 27, says what has not been tried.
 * - `updateMany` is missing: FOR UPDATE locks the rows of a single shard only (the same page).
 *
 * On a real Citus, the tests of the project `citus` run all of them (vitest.config.ts).
 */
import { sql } from 'drizzle-orm'
import { requireNotNull } from '../../base/not-null.ts'
import { toError } from '../../base/thrown.ts'
import { placeholder, type Statement, statementTemplate } from '../../db/postgres/statement.ts'
import { nextIdOf, withFreeIds } from '../fields/ids.ts'
import type { FieldValues, Item, Resource } from '../fields/resource.ts'
import {
  columnNamesOf,
  commaSeparated,
  placeholderOf,
  severalRows,
  statementName,
  toSqlValues,
} from '../fields/sql-fragments.ts'
import { claimKeys, type Creation, keyFields, lockKey, toCreationValues } from '../writes/create-once.ts'
import { toItemValues } from '../writes/patches.ts'
import type { Writes } from '../writes/writes.ts'
import { type AnnouncedWrites, announcedWritesOf, type Runner } from './announced-writes.ts'

/** Builds the writes on Citus. */
export function buildCitusWrites<TItem extends Item>(resource: Resource<TItem>): Writes<TItem> {
  const { words } = resource
  const announced = announcedWritesOf(resource)
  const drawIds = statementTemplate(
    statementName('draw', `${words.singular}Ids`),
    sql`select ${nextIdOf(resource)}::text from generate_series(1, ${placeholder('count', 'int')})`,
    { placeholders: ['count'] },
  )
  const insert = createInserter(resource, announced)
  const createOnce = buildCreateOnce(resource, announced)
  const update = announced.buildUpdate(statementName('update', words.singular))
  const remove = announced.buildDeletion(statementName('delete', words.singular))
  return {
    async createMany(shared, items) {
      const options = { callers: items.length }
      const runner = { shared, query: (statement: Statement) => shared.query(statement, options) }
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
      const runner = { shared, query: (statement: Statement) => shared.query(statement) }
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
      const [item] = await update(requestData, toItemValues(resource, id, { patch, expected }))
      return item ?? null
    },
    async delete(requestData, id, expected) {
      const [item] = await remove(requestData, toItemValues(resource, id, { expected }))
      return item ?? null
    },
  }
}

/** Inserts items, which have their ids already. */
type Insert<TItem extends Item> = (runner: Runner, items: readonly FieldValues[]) => Promise<TItem[]>

/** @returns what inserts any number of items */
function createInserter<TItem extends Item>(
  resource: Resource<TItem>,
  announced: AnnouncedWrites<TItem>,
): Insert<TItem> {
  /** By their number of items, which the size of a batch limits. */
  const inserts = new Map<number, Insert<TItem>>()
  return (runner, items) => {
    let insert = inserts.get(items.length)
    if (!insert) {
      insert = buildInsert(resource, announced, items.length)
      inserts.set(items.length, insert)
    }
    return insert(runner, items)
  }
}

/** @returns what inserts this number of items */
function buildInsert<TItem extends Item>(
  { words, table, fields }: Resource<TItem>,
  announced: AnnouncedWrites<TItem>,
  count: number,
): Insert<TItem> {
  const rows = severalRows(fields, count)
  const insert = announced.buildCreation(
    statementName('create', words.plural),
    sql`insert into ${table} (${columnNamesOf(fields)}) values ${rows.placeholders}`,
    // Most items are created alone; a plan for every other number of items is not worth its memory.
    { prepare: count === 1 },
  )
  return (runner, items) => insert(runner, rows.valuesOf(items))
}

/**
 * The statement of writes/create-once.ts for one item. `wanted` reads no table, so the coordinator runs it: the id, the lock and the time
 * come from there.
 * @returns what runs it; no item: its key could not be claimed
 */
function buildCreateOnce<TItem extends Item>(
  resource: Resource<TItem>,
  announced: AnnouncedWrites<TItem>,
): (runner: Runner, creation: Creation<TItem>) => Promise<TItem[]> {
  const { words, table, fields, newFields } = resource
  const sent = [...Object.values(keyFields), ...newFields]
  const wanted = {
    owner: placeholderOf(keyFields.owner),
    key: placeholderOf(keyFields.key),
    fingerprint: placeholderOf(keyFields.fingerprint),
    itemId: sql`id`,
    createdAt: sql`at`,
  }
  const create = announced.buildCreation(
    `${statementName('create', words.singular)}Once`,
    sql`
      with wanted as materialized (
        select ${nextIdOf(resource)} as id, now() as at where ${lockKey(wanted)}
      ), claimed (id) as (${claimKeys(wanted, sql`from wanted`)}
      )
      insert into ${table} (${columnNamesOf(fields)})
      select claimed.id, ${commaSeparated(newFields.map(placeholderOf))} from claimed`,
  )
  return (runner, creation) => create(runner, toSqlValues(sent, toCreationValues(creation)))
}
