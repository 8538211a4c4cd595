/** Ranges of the list of pets, and the plans of their pages. */
import { petList } from '../../src/pets/pet-resource.ts'
import { citusDialect } from '../../src/resource/citus-dialect.ts'
import { postgresDialect } from '../../src/resource/postgres-dialect.ts'
import { createPlanner } from '../../src/resource/list-pages.ts'

export type PetRange = Parameters<typeof petList.load>[1]
export type PetFilter = PetRange['filter']
export type PetOrder = PetRange['order']

/** Every order of the list, in both directions. */
export const petOrders: readonly PetOrder[] = Object.keys(petList.list.orders).flatMap((field) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ field: field as PetOrder['field'], direction })),
)

export const planPage = createPlanner(petList, postgresDialect)
export const planPageOnCitus = createPlanner(petList, citusDialect)
