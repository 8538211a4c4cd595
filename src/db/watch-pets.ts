import type { PetChange } from './changes.ts'
import type { Database } from './connect.ts'
import type { PetFilter } from './pet-range.ts'

/**
 * Every change from now on of an animal that the filter lets pass, now or before: whoever shows such animals has to know when
 * one is none any more.
 * @param onClose takes what ends it
 * @returns what ends when changes may have been missed; see ChangeFeed.subscribe
 */
export async function watchPets(
  database: Database,
  { status, categoryId, keyPrefix = '' }: PetFilter,
  onClose: (end: () => void) => void,
): Promise<AsyncIterableIterator<PetChange>> {
  const categories = categoryId && new Set(categoryId)
  const subscription = await database.changes.subscribe(({ states }) =>
    states.some(
      (state) =>
        (!status || (state.status !== null && status.includes(state.status))) &&
        (!categories || categories.has(state.categoryId)) &&
        state.nameKey.startsWith(keyPrefix),
    ),
  )
  onClose(() => void subscription.return?.())
  return subscription
}
