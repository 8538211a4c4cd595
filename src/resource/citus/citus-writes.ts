/**
 * The statements that create, update and delete the items of a resource on Citus, in the order of those on Postgres (writes/writes.ts).
 * They differ where Citus cannot run those, or is slow (docs/decisions.md, 27):
 *
 * - All: a distributed table can have no triggers, and a transaction on several nodes cannot NOTIFY, since it is prepared
 *   (https://www.postgresql.org/docs/current/sql-prepare-transaction.html). So the server announces its writes (announced-writes.ts).
 * - `createMany` sends VALUES, which go to the shards directly; the rows of INSERT … SELECT pass through the coordinator
 *   (https://docs.citusdata.com/en/stable/develop/reference_dml.html), which takes many times as long. The ids are drawn before, since
 *   RETURNING promises no order, and the shards answer in any: items would get each other's ids.
 * - `createManyOnce` has a statement for each item: several at once are faster than a joined one.
 * - `updateMany` is missing: FOR UPDATE locks the rows of a single shard only
 *   (https://docs.citusdata.com/en/stable/develop/reference_workarounds.html).
 *
 * What they do is tested on a plain Postgres (test/service/resource/citus-writes.test.ts). That Citus accepts them, only the project
 * `citus` of the tests finds out, which needs a cluster: TEST_DATABASE_URL=… npx vitest run --project citus
 */
import { sql } from 'drizzle-orm'
import { requireNotNull } from '../../base/not-null.ts'
import { toError } from '../../base/thrown.ts'
import { placeholder, statementTemplate, type TextRow } from '../../db/postgres/statement.ts'
import { nextIdOf, withFreeIds } from '../fields/ids.ts'
import type { Item, Resource } from '../fields/resource.ts'
import {
  columnNamesOf,
  commaSeparated,
  placeholderOf,
  statementName,
  toSqlValue,
  toSqlValues,
  type TypedName,
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
  buildAnnouncedUpdate,
  buildAnnouncedWrite,
  ownRunner,
  type Runner,
  sharedRunner,
} from './announced-writes.ts'

/** Builds the writes on Citus. */
export function buildCitusWrites<TItem extends Item>(resource: Resource<TItem>): Writes<TItem> {
  const { words, table, readRow } = resource
  const drawIds = statementTemplate(
    statementName('draw', `${words.singular}Ids`),
    sql`select ${nextIdOf(resource)}::text from generate_series(1, ${placeholder('count', 'int')})`,
    { placeholders: ['count'] },
  )
  const insert = buildInsert(resource)
  const createOnce = buildCreateOnce(resource)
  const update = buildAnnouncedUpdate(resource, {
    name: statementName('update', words.singular),
    set: setFields(resource, placeholderOf),
    where: whereItem(resource),
  })
  const remove = buildAnnouncedWrite(resource, {
    kind: 'deleted',
    name: statementName('delete', words.singular),
    statement: sql`delete from ${table} where ${whereItem(resource)}`,
  })
  return {
    async createMany(shared, items) {
      const callers = items.length
      const runner = sharedRunner(shared, { callers })
      return withFreeIds(shared, resource, async () => {
        const drawn = await shared.query(drawIds.with({ count: String(items.length) }), { callers })
        const ids = drawn.map(([next]) => requireNotNull(next, 'A drawn id'))
        await insert(
          runner,
          items.map((item, index) => ({ ...item, id: requireNotNull(ids[index], 'An id for each item') })),
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
        const [row] = one.value
        return row ? readRow(row).id : null
      })
    },
    updateMany: null,
    async update(requestData, id, patch, expected) {
      const values = toItemValues(resource, id, { patch, expected })
      const [row] = await update(ownRunner(requestData), values)
      return row ? readRow(row) : null
    },
    async delete(requestData, id, expected) {
      const [row] = await remove(ownRunner(requestData), toItemValues(resource, id, { expected }))
      return row ? readRow(row) : null
    },
  }
}

/** @returns what inserts any number of items, which have their ids already */
function buildInsert(resource: Resource): (runner: Runner, items: readonly Item[]) => Promise<TextRow[]> {
  const { words, table, fields } = resource
  const nameIn = (row: number, { name }: TypedName) => `${name}.${row}`
  function buildFor(count: number): AnnouncedWrite {
    const rows = Array.from({ length: count }, (_, row) => {
      const values = fields.map((field) => placeholderOf({ ...field, name: nameIn(row, field) }))
      return sql`(${commaSeparated(values)})`
    })
    return buildAnnouncedWrite(resource, {
      kind: 'created',
      name: statementName('create', words.plural),
      statement: sql`insert into ${table} (${columnNamesOf(fields)}) values ${commaSeparated(rows)}`,
      // Most items are created alone; a plan for every other number of items is not worth its memory.
      prepare: count === 1,
    })
  }
  /** By the number of items, which the size of a batch limits. */
  const built = new Map<number, AnnouncedWrite>()
  return (runner, items) => {
    let write = built.get(items.length)
    if (!write) {
      write = buildFor(items.length)
      built.set(items.length, write)
    }
    const values = items.flatMap((item, row) =>
      fields.map((field) => [nameIn(row, field), toSqlValue(item[field.name])] as const),
    )
    return write(runner, Object.fromEntries(values))
  }
}

/**
 * The statement of writes/create-once.ts for one item. `wanted` reads no table, so the coordinator runs it: the id, the lock and the time
 * come from there.
 * @returns what runs it; no row: its key could not be claimed
 */
function buildCreateOnce<TItem extends Item>(
  resource: Resource<TItem>,
): (runner: Runner, creation: Creation<TItem>) => Promise<TextRow[]> {
  const { words, table, fields, newFields } = resource
  const sent = creationFieldsOf(resource)
  const wanted = { itemId: sql`id`, createdAt: sql`at` }
  const create = buildAnnouncedWrite(resource, {
    kind: 'created',
    name: `${statementName('create', words.singular)}Once`,
    statement: sql`
      with wanted as materialized (
        select ${nextIdOf(resource)} as ${wanted.itemId}, now() as ${wanted.createdAt} where ${lockKey(placeholderOf)}
      ), ${claimKeys(placeholderOf, wanted, sql`from wanted`)}
      insert into ${table} (${columnNamesOf(fields)})
      select claimed.id, ${commaSeparated(newFields.map(placeholderOf))} from claimed`,
  })
  return (runner, creation) => create(runner, toSqlValues(sent, toCreationValues(creation)))
}
