/** Ranges of the list of pets, and the plans of their pages. */
import { petList } from '../../src/pets/pets.ts'
import { createPlanner } from '../../src/resource/list-pages.ts'

export type PetRange = Parameters<typeof petList.load>[1]
export type PetFilter = PetRange['filter']
export type PetOrder = PetRange['order']

/** Every order of the list, in both directions. */
export const petOrders: readonly PetOrder[] = Object.keys(petList.list.orders).flatMap((field) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ field: field as PetOrder['field'], direction })),
)

export const planPage = createPlanner({ ...petList, isDistributed: false })
export const planPageOnCitus = createPlanner({ ...petList, isDistributed: true })
