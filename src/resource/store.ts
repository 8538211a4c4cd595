/**
 * Finds, creates, updates and deletes the items of a resource.
 *
 * `find` reads where the request does (`RequestData.target`), maybe on a standby. All else happens on the primary: on `shared` what is joined with
 * that of other requests, through `RequestData` itself what is one request's own, within its share of the connections.
 */
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { SharedDatabase } from '../db/database.ts'
import { createBatch } from '../db/postgres/batch.ts'
import { statementTemplate, placeholder, queryBuilder } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { forEachDialect } from './dialects.ts'
import type { FieldValues, Item, NewItem, Patch, Resource } from './fields/resource.ts'
import { withId } from './fields/ids.ts'
import { statementName } from './fields/sql-fragments.ts'
import { createConflict, isAsExpected } from './writes/conflicts.ts'
import { findFirstId, fingerprintOf, type Idempotency } from './writes/idempotency.ts'
import { joinWrites } from './writes/joined-writes.ts'
import { isEmpty } from './writes/patches.ts'

export interface Store<TItem extends Item> {
  /** @returns null if no item has the id */
  find: (requestData: RequestData, id: string) => Promise<TItem | null>
  /** Creates an item, which is committed when this resolves. */
  create: (requestData: Pick<RequestData, 'shared'>, item: NewItem<TItem>) => Promise<TItem>
  /**
   * Creates an item once: a request with the same key and the same item gets the first response again.
   * @throws ServiceError as findFirstId
   */
  createOnce: (requestData: RequestData, item: NewItem<TItem>, used: Idempotency) => Promise<TItem>
  /**
   * @param expected the values that the item must have now; an absent field is not compared
   * @returns the updated item; null if none has the id
   * @throws ServiceError CONFLICT that names the fields with other values; nothing has been changed
   */
  update: (
    requestData: RequestData,
    id: string,
    patch: Patch<TItem>,
    expected?: Patch<TItem>,
  ) => Promise<TItem | null>
  /** @param expected as in update @returns the item as it was; null if none has the id @throws as update */
  delete: (requestData: RequestData, id: string, expected?: Patch<TItem>) => Promise<TItem | null>
}

/** @returns what finds and writes the items of a resource */
export function createStore<TItem extends Item>(resource: Resource<TItem>): Store<TItem> {
  const findInBatch = joinReads(resource)
  const writesOf = forEachDialect(({ buildWrites }) => joinWrites(buildWrites(resource)))

  function find({ target }: RequestData, id: string): Promise<TItem | null> {
    return findInBatch(target, id)
  }

  async function create({ shared }: Pick<RequestData, 'shared'>, item: NewItem<TItem>): Promise<TItem> {
    return writesOf(shared).create(shared, item)
  }

  async function createOnce(
    requestData: RequestData,
    item: NewItem<TItem>,
    used: Idempotency,
  ): Promise<TItem> {
    const { shared } = requestData
    const fingerprint = fingerprintOf(resource, item)
    const created = await writesOf(shared).createOnce(shared, { ...used, item, fingerprint })
    if (created) return created
    return withId(item, await findFirstId(requestData, used, fingerprint))
  }

  async function update(
    requestData: RequestData,
    id: string,
    patch: Patch<TItem>,
    expected: Patch<TItem> = {},
  ): Promise<TItem | null> {
    const { shared } = requestData
    if (isEmpty(patch)) {
      // Nothing is to be written: no row is locked, and none gets a new version.
      const item = await findInBatch(shared, id)
      if (item && !isAsExpected(resource, item, expected)) throw createConflict(resource, item, expected)
      return item
    }
    const updated = await writesOf(shared).update(requestData, id, patch, expected)
    if (!updated) await throwIfConflict(shared, id, expected)
    return updated
  }

  async function remove(
    requestData: RequestData,
    id: string,
    expected: Patch<TItem> = {},
  ): Promise<TItem | null> {
    const { shared } = requestData
    const deleted = await writesOf(shared).delete(requestData, id, expected)
    if (!deleted) await throwIfConflict(shared, id, expected)
    return deleted
  }

  /** After a write that changed nothing. @throws ServiceError CONFLICT, unless there is no such item */
  async function throwIfConflict(shared: SharedDatabase, id: string, expected: FieldValues): Promise<void> {
    const item = isEmpty(expected) ? null : await findInBatch(shared, id)
    if (item) throw createConflict(resource, item, expected)
  }

  return { find, create, createOnce, update, delete: remove }
}

/** Joins reads by id. @returns what finds an item; null: none has the id */
function joinReads<TItem extends Item>({ words, table, columns, id: { column }, readRow }: Resource<TItem>) {
  const selectByIds = statementTemplate(
    statementName('find', words.plural),
    queryBuilder
      .select(columns)
      .from(table)
      .where(sql`${column} = any(${placeholder('ids', 'bigint[]')})`),
    { placeholders: ['ids'] },
  )
  return createBatch<string, TItem | null>(async (target, ids) => {
    const rows = await target.query(selectByIds.with({ ids: makePgArray([...ids]) }), {
      callers: ids.length,
    })
    const found = new Map(rows.map((row) => [row[0], readRow(row)]))
    return ids.map((id) => found.get(id) ?? null)
  })
}
