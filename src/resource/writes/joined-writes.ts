/** Writes that arrive together, joined into one statement. */
import type { Database } from '../../db/database.ts'
import { createBatch } from '../../db/postgres/batch.ts'
import { withFreeIds, withId } from '../fields/ids.ts'
import type { Item, NewItem, Resource } from '../fields/resource.ts'
import type { Creation } from './create-once.ts'
import { createCleanUp } from './idempotency.ts'
import type { Update, Writes } from './writes.ts'

/**
 * Transactions that notify commit one after the other, so calls wait longer than a commit on a slow disk takes, but not as
 * long as for a lost connection.
 */
const ONE_AT_A_TIME = { maxRunning: 1, maxWait: 50 }

/** Joins creations. @returns what creates one, and returns it with its id */
export function joinCreations<TItem extends Item>(
  resource: Resource<TItem>,
  { create }: Pick<Writes<TItem>, 'create'>,
): (database: Database, item: NewItem<TItem>) => Promise<TItem> {
  return createBatch<NewItem<TItem>, TItem, Database>(async (database, items) => {
    const ids = await withFreeIds(database, resource, () => create(database, items))
    // Otherwise, items would get each other's ids.
    if (ids.length !== items.length) throw new Error(`${items.length} rows were created, not ${ids.length}`)
    return items.map((item, index) => withId(item, ids[index]))
  }, ONE_AT_A_TIME)
}

/**
 * Joins creations with an idempotency key; of several with the same one, only the first.
 * @returns what creates an item, and returns it with its id; null: it was left out, or its key cannot be claimed
 */
export function joinCreationsOnce<TItem extends Item>(
  resource: Resource<TItem>,
  { createOnce }: Pick<Writes<TItem>, 'createOnce'>,
): (database: Database, creation: Creation<TItem>) => Promise<TItem | null> {
  const cleanUpKeys = createCleanUp()
  return createBatch<Creation<TItem>, TItem | null, Database>(async (database, creations) => {
    const firsts = firstOfEach(creations, ({ idempotencyKey, owner }) => `${idempotencyKey} ${owner}`)
    const distinct = [...firsts.values()]
    const ids = await withFreeIds(database, resource, () => createOnce(database, distinct))
    if (ids.length !== distinct.length)
      throw new Error(`${distinct.length} rows were requested, not ${ids.length}`)
    cleanUpKeys(database)
    const created = new Map(distinct.map((creation, index) => [creation, ids[index]]))
    return creations.map((creation) => {
      const id = created.get(creation)
      return id == null ? null : withId(creation.item, id)
    })
  }, ONE_AT_A_TIME)
}

/**
 * Joins updates without expected values; of several of one item, only the first.
 * @returns what updates an item, and returns it; null: it was left out, as no item has the id, another transaction is writing it, or
 *   another call came first
 */
export function joinUpdates<TItem extends Item>(
  updateMany: NonNullable<Writes<TItem>['updateMany']>,
): (database: Database, update: Update<TItem>) => Promise<TItem | null> {
  return createBatch<Update<TItem>, TItem | null, Database>(async (database, updates) => {
    const firsts = firstOfEach(updates, ({ id }) => id)
    const items = await updateMany(database, [...firsts.values()])
    const updated = new Map(items.map((item) => [firsts.get(item.id), item]))
    return updates.map((update) => updated.get(update) ?? null)
  }, ONE_AT_A_TIME)
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
