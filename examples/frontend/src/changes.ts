/** Changes to a pet that exists. The list shows them when their events arrive. */
import { request } from './api.ts'
import {
  DeletePetDocument,
  type PetChanges,
  type PetFieldsFragment as Pet,
  UpdatePetDocument,
} from './generated/graphql.ts'

/** @param changes a field that is left out stays as it is */
export async function updatePet(apiKey: string, { id }: Pet, changes: PetChanges): Promise<void> {
  await request(apiKey, UpdatePetDocument, { id, input: changes })
}

export const sellPet = (apiKey: string, pet: Pet): Promise<void> => updatePet(apiKey, pet, { status: 'sold' })

export async function deletePet(apiKey: string, { id }: Pet): Promise<void> {
  await request(apiKey, DeletePetDocument, { id })
}
