/** Finds, creates, updates and deletes the items of a resource: first what a call does, then how calls that arrive together are joined. */
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { Database } from '../db/database.ts'
import { createBatch } from '../db/postgres/batch.ts'
import { DatabaseError, DatabaseFailure } from '../db/postgres/postgres-errors.ts'
import { statementTemplate, parameter, queryBuilder } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { forEachDialect } from './dialects.ts'
import type { FieldValues, Item, NewItem, Patch, Resource } from './fields/resource.ts'
import { skipTakenIds, statementName } from './fields/sql-fragments.ts'
import { createConflict, isAsExpected } from './writes/conflicts.ts'
import type { Creation } from './writes/create-once.ts'
import { createCleanUp, findFirstId, fingerprintOf, type Idempotency } from './writes/idempotency.ts'
import type { Update, Writes } from './writes/writes.ts'

/**
 * Transactions that notify commit one after the other, so calls wait longer than a commit on a slow disk takes, but not as
 * long as for a lost connection.
 */
const ONE_AT_A_TIME = { maxRunning: 1, maxWait: 50 }

/** A SQLSTATE: the statement has changed nothing, because an id is taken. */
const UNIQUE_VIOLATION = '23505'
/**
 * Once is not always enough: another server may set the sequence at the same moment, or the next statement runs in another database, while
 * a name begins to lead there.
 */
const MAX_SKIPS = 3

export type Store<TItem extends Item> = ReturnType<typeof createStore<TItem>>

/** @returns what finds and writes the items of a resource */
export function createStore<TItem extends Item>(resource: Resource<TItem>) {
  const writesOf = forEachDialect(({ createWrites }) => createWrites(resource))
  const findInBatch = joinReads(resource)
  const { createInBatch, createOnceInBatch } = joinCreations(resource, writesOf)
  const updateInBatch = joinUpdates(writesOf)

  /** @returns null if no item has the id */
  function find({ target }: RequestData, id: string): Promise<TItem | null> {
    return findInBatch(target, id)
  }

  /** Creates an item, which is committed when this resolves. */
  function create({ database }: Pick<RequestData, 'database'>, item: NewItem<TItem>): Promise<TItem> {
    return createInBatch(database, item)
  }

  /**
   * Creates an item once: a request with the same key and the same item gets the first response again.
   * @throws ServiceError as findFirstId
   */
  async function createOnce(
    requestData: RequestData,
    item: NewItem<TItem>,
    used: Idempotency,
  ): Promise<TItem> {
    const fingerprint = fingerprintOf(resource, item)
    const created = await createOnceInBatch(requestData.database, { ...used, item, fingerprint })
    if (created) return created
    return withId(item, await findFirstId(requestData, used, fingerprint))
  }

  /**
   * @param expected the values that the item must have now; an absent field is not compared
   * @returns the updated item; null if none has the id
   * @throws ServiceError CONFLICT that names the fields with other values; nothing has been changed
   */
  async function update(
    requestData: RequestData,
    id: string,
    patch: Patch<TItem>,
    expected: Patch<TItem> = {},
  ): Promise<TItem | null> {
    if (isEmpty(patch)) {
      // An UPDATE that sets nothing is not valid SQL.
      const item = await find(requestData, id)
      if (item && !isAsExpected(resource, item, expected)) throw createConflict(resource, item, expected)
      return item
    }
    const { database } = requestData
    const joined = isEmpty(expected) ? await updateInBatch(database, { id, patch }) : null
    const updated = joined ?? (await writesOf(database).update(requestData, id, patch, expected))
    return updated ?? throwIfConflict(requestData, id, expected)
  }

  /** @param expected as in update @returns the item as it was; null if none has the id @throws as update */
  async function remove(
    requestData: RequestData,
    id: string,
    expected: Patch<TItem> = {},
  ): Promise<TItem | null> {
    const deleted = await writesOf(requestData.database).delete(requestData, id, expected)
    return deleted ?? throwIfConflict(requestData, id, expected)
  }

  /** Why a write changed nothing. @returns null if there is no such item @throws ServiceError CONFLICT */
  async function throwIfConflict(requestData: RequestData, id: string, expected: FieldValues): Promise<null> {
    const item = isEmpty(expected) ? null : await find(requestData, id)
    if (item) throw createConflict(resource, item, expected)
    return null
  }

  return { find, create, createOnce, update, delete: remove }
}

/** What writes the items in a database. */
type WritesOf<TItem extends Item> = (database: Database) => Writes<TItem>

function joinReads<TItem extends Item>({ words, table, columns, id: { column }, readRow }: Resource<TItem>) {
  const selectByIds = statementTemplate(
    statementName('find', words.plural),
    queryBuilder
      .select(columns)
      .from(table)
      .where(sql`${column} = any(${parameter('ids', 'bigint[]')})`),
  )
  return createBatch<string, TItem | null>(async (target, ids) => {
    const rows = await target.query(selectByIds.with({ ids: makePgArray([...ids]) }), {
      callers: ids.length,
    })
    const found = new Map(rows.map((row) => [row[0], readRow(row)]))
    return ids.map((id) => found.get(id) ?? null)
  })
}

function joinCreations<TItem extends Item>(resource: Resource<TItem>, writesOf: WritesOf<TItem>) {
  /** Rows that were not created here, such as those of a logical replication, do not move the sequence, so it may return their ids. */
  async function skippingTakenIds(database: Database, create: () => Promise<(string | null)[]>) {
    for (let skips = 0; ; skips += 1) {
      try {
        return await create()
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.code !== UNIQUE_VIOLATION) throw error
        if (skips === MAX_SKIPS) throw new DatabaseFailure(error.code, { reason: 'the next ids are taken' })
        await skipTakenIds(database, resource)
      }
    }
  }

  const createInBatch = createBatch<NewItem<TItem>, TItem, Database>(async (database, items) => {
    const ids = await skippingTakenIds(database, () => writesOf(database).create(database, items))
    // Otherwise, items would get each other's ids.
    if (ids.length !== items.length) throw new Error(`${items.length} rows were created, not ${ids.length}`)
    return items.map((item, index) => withId(item, ids[index]))
  }, ONE_AT_A_TIME)

  const cleanUpKeys = createCleanUp()
  /** Of several calls with one idempotency key, the first creates its item. */
  const createOnceInBatch = createBatch<Creation<TItem>, TItem | null, Database>(
    async (database, creations) => {
      const firsts = firstOfEach(creations, ({ idempotencyKey, owner }) => `${idempotencyKey} ${owner}`)
      const distinct = [...firsts.values()]
      const ids = await skippingTakenIds(database, () => writesOf(database).createOnce(database, distinct))
      if (ids.length !== distinct.length)
        throw new Error(`${distinct.length} rows were requested, not ${ids.length}`)
      cleanUpKeys(database)
      const created = new Map(distinct.map((creation, index) => [creation, ids[index]]))
      return creations.map((creation) => {
        const id = created.get(creation)
        return id == null ? null : withId(creation.item, id)
      })
    },
    ONE_AT_A_TIME,
  )

  return { createInBatch, createOnceInBatch }
}

/**
 * Joins updates without expected values; of several updates of one item, only the first.
 * @returns what resolves to null if an update was left out: no item has the id, another transaction is writing it, or another call came
 *   first
 */
function joinUpdates<TItem extends Item>(writesOf: WritesOf<TItem>) {
  return createBatch<Update<TItem>, TItem | null, Database>(async (database, updates) => {
    const firsts = firstOfEach(updates, ({ id }) => id)
    const items = await writesOf(database).updateMany(database, [...firsts.values()])
    const updated = new Map(items.map((item) => [firsts.get(item.id), item]))
    return updates.map((update) => updated.get(update) ?? null)
  }, ONE_AT_A_TIME)
}

/** Whether a patch has no field. */
function isEmpty(patch: FieldValues): boolean {
  return Object.values(patch).every((value) => value === undefined)
}

/** The first of the calls with each identity, in their order. */
function firstOfEach<Call>(calls: readonly Call[], identify: (call: Call) => string): Map<string, Call> {
  const firsts = new Map<string, Call>()
  for (const call of calls) {
    const identity = identify(call)
    if (!firsts.has(identity)) firsts.set(identity, call)
  }
  return firsts
}

/** The item that has been created. */
function withId<TItem extends Item>(item: NewItem<TItem>, id: string | null | undefined): TItem {
  if (id == null) throw new Error('A created row has no id')
  // NewItem is everything but the id.
  return { id, ...item } as unknown as TItem
}
