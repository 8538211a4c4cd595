/** The expected result of Query.pets, computed in memory from all pets. */
import type { Filter, Pet } from '../../support/pet-fields.ts'
import { type PetOrder, petOrders } from '../../support/pet-pages.ts'

export const orders = [undefined, ...petOrders]

/** What a pet is sorted by before its id; null: by its id alone. */
const sortKeys: Record<PetOrder['field'], (pet: Pet) => string | null> = {
  ID: () => null,
  NAME: ({ name }) => toLowerCase(name),
}

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

/** A place in a list, whether or not a pet is there. */
export interface Position {
  id: bigint
  sortKey: string | null
}

export interface PageRequest {
  filter: Filter
  orderBy: PetOrder
  size: number
  from: 'start' | 'end'
  after?: Position | undefined
  before?: Position | undefined
}

/** A page, and whether there are pages before and after it. */
export function listPage(pets: readonly Pet[], { filter, orderBy, size, from, after, before }: PageRequest) {
  const all = listPets(pets, filter, orderBy).map((pet) => positionOf(pet, orderBy.field))
  const sign = orderBy.direction === 'ASC' ? 1 : -1
  const isAfter = (position: Position, bound: Position) => sign * comparePositions(position, bound) > 0
  const within = all.filter(
    (position) => (!after || isAfter(position, after)) && (!before || isAfter(before, position)),
  )
  const page = from === 'start' ? within.slice(0, size) : within.slice(Math.max(0, within.length - size))
  const isCut = page.length < within.length
  return {
    ids: page.map(({ id }) => String(id)),
    // Behind a cursor there is a page.
    hasPreviousPage: from === 'end' ? isCut : after !== undefined,
    hasNextPage: from === 'start' ? isCut : before !== undefined,
  }
}

/** The position of a pet in a list. */
export function positionOf(pet: Pet, field: PetOrder['field']): Position {
  return { id: BigInt(pet.id), sortKey: sortKeys[field](pet) }
}

/** @returns the pets that match, in order */
export function listPets(pets: readonly Pet[], filter: Filter, order?: PetOrder): Pet[] {
  const { field, direction } = order ?? { field: filter.namePrefix ? 'NAME' : 'ID', direction: 'ASC' }
  const listed = pets
    .filter((pet) => matches(pet, filter))
    .sort((first, second) => comparePositions(positionOf(first, field), positionOf(second, field)))
  return direction === 'ASC' ? listed : listed.reverse()
}

function comparePositions(a: Position, b: Position): number {
  const byKey = Buffer.compare(Buffer.from(a.sortKey ?? ''), Buffer.from(b.sortKey ?? ''))
  return byKey || (a.id < b.id ? -1 : Number(a.id > b.id))
}

/** Character by character, like Postgres. */
function toLowerCase(text: string): string {
  return Array.from(text, (character) => character.toLowerCase()).join('')
}
