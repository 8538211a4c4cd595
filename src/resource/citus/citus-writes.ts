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
 * What they do is tested on a plain Postgres (test/service/resource/citus-writes.test.ts). That Citus accepts them, only the project
 * `citus` of the tests finds out, which needs a cluster: TEST_DATABASE_URL=… npx vitest run --project citus
 */
import { sql } from 'drizzle-orm'
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
import {
  type AnnouncedWrite,
  announcedWrite,
  FORMER,
  ownRunner,
  type Runner,
  sharedRunner,
} from './announced-writes.ts'

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
  const update = buildUpdate(resource)
  const remove = announcedWrite(resource, {
    kind: 'deleted',
    name: statementName('delete', words.singular),
    write: sql`delete from ${table} where ${whereItem(resource)}`,
  })
  return {
    async createMany(shared, items) {
      const runner = sharedRunner(shared, { callers: items.length })
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
      const runner = sharedRunner(shared, { callers: 1 })
      // All at once: they wait in the queue of their name, from which the pool takes only as many as leave connections for others.
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

/** Inserts items, which have their ids already. */
type Insert<TItem extends Item> = (runner: Runner, items: readonly FieldValues[]) => Promise<TItem[]>

/** @returns what inserts any number of items */
function buildInsert<TItem extends Item>(resource: Resource<TItem>): Insert<TItem> {
  const { words, table, fields } = resource
  /** For a number of items. */
  function build(count: number): Insert<TItem> {
    const rows = severalRows(fields, count)
    const write = announcedWrite(resource, {
      kind: 'created',
      name: statementName('create', words.plural),
      write: sql`insert into ${table} (${columnNamesOf(fields)}) values ${rows.placeholders}`,
      // Most items are created alone; a plan for every other number of items is not worth its memory.
      prepare: count === 1,
    })
    return (runner, items) => write(runner, rows.valuesOf(items))
  }
  /** By the number of items, which the size of a batch limits. */
  const built = new Map<number, Insert<TItem>>()
  return (runner, items) => {
    const insert = built.get(items.length) ?? build(items.length)
    built.set(items.length, insert)
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
  const create = announcedWrite(resource, {
    kind: 'created',
    name: `${statementName('create', words.singular)}Once`,
    write: sql`
      with wanted as materialized (
        select ${nextIdOf(resource)} as ${wanted.itemId}, now() as ${wanted.createdAt} where ${lockKey(placeholderOf)}
      ), ${claimKeys(placeholderOf, wanted, sql`from wanted`)}
      insert into ${table} (${columnNamesOf(fields)})
      select claimed.id, ${commaSeparated(newFields.map(placeholderOf))} from claimed`,
  })
  return (runner, creation) => create(runner, toSqlValues(sent, toCreationValues(creation)))
}

/**
 * A subquery reads the item before the update, and locks it. The dot keeps its alias apart from the name of the table.
 *
 * - The id is sent to both, so that Citus routes all to one shard, as FOR UPDATE demands; the join says in SQL that both are one item.
 * - It is the version that is replaced: FOR UPDATE waits for other writers and returns what they left, and UPDATE then rechecks its
 *   own row against that (https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED).
 */
function buildUpdate<TItem extends Item>(resource: Resource<TItem>): AnnouncedWrite<TItem> {
  const { words, table, id } = resource
  const write = sql`
    update ${table} set ${setFields(resource, placeholderOf)}
    from (
      select ${namesOf(...rowStateColumnsOf(resource))} from ${table} where ${id.column} = ${placeholderOf(id)} for update
    ) as ${FORMER}
    where ${whereItem(resource)} and ${id.column} = ${FORMER}.${nameOf(id.column)}`
  return announcedWrite(resource, { kind: 'updated', name: statementName('update', words.singular), write })
}
