/**
 * Changes to a pet that exists. Each is made only if the pet is still as the user saw it, so that if two users sell one pet, one of them learns that
 * the other was faster: CONFLICT.
 */
import { request } from './api.ts'
import {
  DeletePetDocument,
  type PetChanges,
  type PetFieldsFragment as Pet,
  UpdatePetDocument,
} from './generated/graphql.ts'

/** @param pet as the user saw it @param changes a field that is left out stays as it is, and may have any value */
export async function updatePet(apiKey: string, pet: Pet, changes: PetChanges): Promise<void> {
  const { id, name, categoryId, status } = pet
  const expected: PetChanges = {
    ...(changes.name !== undefined && { name }),
    ...(changes.categoryId !== undefined && { categoryId }),
    ...(changes.status !== undefined && { status }),
  }
  await request(apiKey, UpdatePetDocument, { id, input: changes, expected })
}

export const sellPet = (apiKey: string, pet: Pet): Promise<void> => updatePet(apiKey, pet, { status: 'sold' })

export async function deletePet(apiKey: string, { id, ...expected }: Pet): Promise<void> {
  await request(apiKey, DeletePetDocument, { id, expected })
}
