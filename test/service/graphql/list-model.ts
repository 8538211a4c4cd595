/** The expected result of Query.pets, computed in memory from all pets. */
import type { Pet } from '../../../src/pets/pet.ts'
import type { PetOrder } from '../../../src/pets/pet-range.ts'
import type { Filter } from '../../support/pet-fields.ts'

export const orders = [
  undefined,
  { field: 'ID', direction: 'ASC' },
  { field: 'ID', direction: 'DESC' },
  { field: 'NAME', direction: 'ASC' },
  { field: 'NAME', direction: 'DESC' },
] as const satisfies (PetOrder | undefined)[]

/** Whether a pet meets each condition. */
const conditions: { [Name in keyof Required<Filter>]: (pet: Pet, value: Required<Filter>[Name]) => boolean } =
  {
    status: ({ status }, statuses) => statuses.includes(status),
    categoryId: ({ categoryId }, categories) => categories.includes(categoryId),
    namePrefix: ({ name }, prefix) => toLowerCase(name).startsWith(toLowerCase(prefix)),
  }

export function matches(pet: Pet, { status, categoryId, namePrefix }: Filter): boolean {
  return (
    (status === undefined || conditions.status(pet, status)) &&
    (categoryId === undefined || conditions.categoryId(pet, categoryId)) &&
    (namePrefix === undefined || conditions.namePrefix(pet, namePrefix))
  )
}

/** @returns the pets that match, in order */
export function listPets(pets: readonly Pet[], filter: Filter, order?: PetOrder): Pet[] {
  const { field, direction } = order ?? { field: filter.namePrefix ? 'NAME' : 'ID', direction: 'ASC' }
  const key = ({ name }: Pet) => Buffer.from(field === 'NAME' ? toLowerCase(name) : '')
  const listed = pets
    .filter((pet) => matches(pet, filter))
    .sort((a, b) => Buffer.compare(key(a), key(b)) || (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
  return direction === 'ASC' ? listed : listed.reverse()
}

/** Character by character, like Postgres. */
function toLowerCase(text: string): string {
  return Array.from(text, (character) => character.toLowerCase()).join('')
}
