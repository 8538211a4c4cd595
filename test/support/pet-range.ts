/** Ranges of the list of pets, and the plans of their pages. */
import { petList } from '../../src/pets/pets.ts'
import { createPlanner, createPlannerOnCitus } from '../../src/resource/page-plan.ts'

export type PetRange = Parameters<typeof petList.load>[1]
export type PetFilter = PetRange['filter']
export type PetOrder = PetRange['order']

export const planPage = createPlanner(petList)
export const planPageOnCitus = createPlannerOnCitus(petList)
