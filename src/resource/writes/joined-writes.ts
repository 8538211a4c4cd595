/** How the writes of requests are joined: those that arrive together become one statement (writes.ts). */
import type { SharedDatabase } from '../../db/database.ts'
import { createBatch } from '../../db/postgres/batch.ts'
import { withId } from '../fields/ids.ts'
import type { Item, NewItem } from '../fields/resource.ts'
import type { Creation } from './create-once.ts'
import { createCleanUp } from './idempotency.ts'
import { isEmpty } from './patches.ts'
import type { Update, Writes } from './writes.ts'

/** The writes of one request each. */
export interface JoinedWrites<TItem extends Item> extends Pick<Writes<TItem>, 'update' | 'delete'> {
  create: (shared: SharedDatabase, item: NewItem<TItem>) => Promise<TItem>
  /** @returns null: the idempotency key is in use, or was used before */
  createOnce: (shared: SharedDatabase, creation: Creation<TItem>) => Promise<TItem | null>
}

/** Joins creations, and updates without expected values if the database has a statement for several. Deletions are not joined. */
export function joinWrites<TItem extends Item>(writes: Writes<TItem>): JoinedWrites<TItem> {
  const updateJoined = writes.updateMany && joinUpdates(writes.updateMany)
  return {
    create: joinCreations(writes.createMany),
    createOnce: joinCreationsOnce(writes.createManyOnce),
    update: async (requestData, id, patch, expected) => {
      const updated = isEmpty(expected) ? await updateJoined?.(requestData.shared, { id, patch }) : null
      // Null: it is in the statement already, or locked, or no item has the id. The statement cannot tell which, so this one does.
      return updated ?? writes.update(requestData, id, patch, expected)
    },
    delete: writes.delete,
  }
}

/**
 * Transactions that notify commit one after the other, so calls wait longer than a commit on a slow disk takes, but not as
 * long as for a lost connection. On Citus, where writes do not notify, the same limits hold; no others have been measured.
 */
const ONE_AT_A_TIME = { maxRunning: 1, maxWait: 50 }

function joinCreations<TItem extends Item>(
  createMany: Writes<TItem>['createMany'],
): JoinedWrites<TItem>['create'] {
  return createBatch<NewItem<TItem>, TItem, SharedDatabase>(async (shared, items) => {
    const ids = await createMany(shared, items)
    // Otherwise, items would get each other's ids.
    if (ids.length !== items.length) throw new Error(`${items.length} rows were created, not ${ids.length}`)
    return items.map((item, index) => withId(item, ids[index]))
  }, ONE_AT_A_TIME)
}

/** Of several with the same key, only the first is in the statement. The others get null, or its error. */
function joinCreationsOnce<TItem extends Item>(
  createManyOnce: Writes<TItem>['createManyOnce'],
): JoinedWrites<TItem>['createOnce'] {
  const cleanUpKeys = createCleanUp()
  return createBatch<Creation<TItem>, TItem | null, SharedDatabase>(async (shared, creations) => {
    const firsts = firstOfEach(creations, identityOf)
    const outcomes = await createManyOnce(shared, [...firsts.values()])
    if (outcomes.length !== firsts.size)
      throw new Error(`${firsts.size} rows were requested, not ${outcomes.length}`)
    cleanUpKeys(shared)
    const outcomeOf = new Map(
      [...firsts.keys()].map((identity, index) => [identity, outcomes[index] ?? null]),
    )
    return creations.map((creation) => {
      const identity = identityOf(creation)
      const outcome = outcomeOf.get(identity) ?? null
      if (typeof outcome !== 'string') return outcome
      return creation === firsts.get(identity) ? withId(creation.item, outcome) : null
    })
  }, ONE_AT_A_TIME)
}

/** Unambiguous, since a key has no blank. */
function identityOf({ idempotencyKey, owner }: Creation<unknown>): string {
  return `${idempotencyKey} ${owner}`
}

/** @returns what updates an item; null: it has not been, and has to be updated alone */
function joinUpdates<TItem extends Item>(
  updateMany: NonNullable<Writes<TItem>['updateMany']>,
): (shared: SharedDatabase, update: Update<TItem>) => Promise<TItem | null> {
  return createBatch<Update<TItem>, TItem | null, SharedDatabase>(async (shared, updates) => {
    const firsts = firstOfEach(updates, ({ id }) => id)
    const items = await updateMany(shared, [...firsts.values()])
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
