/** How pets can be listed. Pages, counts, cursors, costs, and which events match follow from it. */
import { anyOf, prefixOf } from '../resource/list-declaration.ts'
import { type PetStatus, pets, petStatus } from './table.ts'

/** The maximum number of categories in one filter. */
export const MAX_CATEGORIES = 50

export const petListDescription = {
  filters: {
    status: anyOf<PetStatus>(pets.status, 'statuses', petStatus.enumValues.length),
    categoryId: anyOf<string>(pets.categoryId, 'categories', MAX_CATEGORIES),
    namePrefix: prefixOf(pets.nameKey),
  },
  orders: { ID: null, NAME: pets.nameKey },
}
