/** The expected result of Query.pets, computed in memory from all pets. */
import type { PetOrder } from '../../../src/pets/pet-range.ts'

export const statuses = ['available', 'pending', 'sold', null] as const

export interface ModelPet {
  id: bigint
  name: string
  categoryId: string
  status: (typeof statuses)[number]
}

export interface Filter {
  status?: ModelPet['status'][]
  categoryId?: string[]
  namePrefix?: string
}

export const orders = [
  undefined,
  { field: 'ID', direction: 'ASC' },
  { field: 'ID', direction: 'DESC' },
  { field: 'NAME', direction: 'ASC' },
  { field: 'NAME', direction: 'DESC' },
] as const satisfies (PetOrder | undefined)[]

/** @returns the ids of the pets that match, in order */
export function listPets(
  pets: ModelPet[],
  { status, categoryId, namePrefix }: Filter,
  order?: PetOrder,
): string[] {
  const { field, direction } = order ?? { field: namePrefix ? 'NAME' : 'ID', direction: 'ASC' }
  const key = ({ name }: ModelPet) => Buffer.from(field === 'NAME' ? toLowerCase(name) : '')
  const listed = pets
    .filter((pet) => !status || status.includes(pet.status))
    .filter((pet) => !categoryId || categoryId.includes(pet.categoryId))
    .filter(({ name }) => toLowerCase(name).startsWith(toLowerCase(namePrefix ?? '')))
    .sort((a, b) => Buffer.compare(key(a), key(b)) || Number(a.id - b.id))
    .map(({ id }) => String(id))
  return direction === 'ASC' ? listed : listed.reverse()
}

/** Character by character, like Postgres. */
function toLowerCase(text: string): string {
  return Array.from(text, (character) => character.toLowerCase()).join('')
}
