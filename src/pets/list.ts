/** How pets can be listed. Indexes, pages, counts, cursors, costs, and which events match follow from it. */
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { components } from '../generated/openapi-types.ts'
import { anyOf, prefixOf } from '../resource/list-declaration.ts'

type PetStatus = components['schemas']['PetStatus']

/** The maximum number of categories in one filter: each is a separate index range. */
export const MAX_CATEGORIES = 50

/** A function of the columns, since the table takes its indexes from it. */
export function describePetList(pets: Record<'id' | 'categoryId' | 'status' | 'nameKey', AnyPgColumn>) {
  return {
    id: pets.id,
    filters: {
      status: anyOf<PetStatus>(pets.status, { indexedAs: 'status', plural: 'statuses' }),
      categoryId: anyOf<string>(pets.categoryId, {
        indexedAs: 'category',
        most: MAX_CATEGORIES,
        plural: 'categories',
      }),
      namePrefix: prefixOf(pets.nameKey),
    },
    /** Each by its key, then by id. */
    orders: { ID: null, NAME: { key: pets.nameKey, indexedAs: 'name' } },
  }
}
