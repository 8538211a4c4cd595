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

/** A place in a list, whether or not a pet is there. */
export interface Position {
  id: bigint
  /** The key of its name; empty in a list by id. */
  nameKey: string
}

export interface PageRequest {
  filter: Filter
  orderBy: PetOrder
  size: number
  from: 'start' | 'end'
  after?: Position | undefined
  before?: Position | undefined
}

/** @returns the ids of the pets that match, in order */
export function listPets(pets: ModelPet[], filter: Filter, order?: PetOrder): string[] {
  const { field, direction } = order ?? { field: filter.namePrefix ? 'NAME' : 'ID', direction: 'ASC' }
  return listPositions(pets, filter, { field, direction }).map(({ id }) => String(id))
}

/** A page, and whether there are pets before and after it. */
export function listPage(pets: ModelPet[], { filter, orderBy, size, from, after, before }: PageRequest) {
  const all = listPositions(pets, filter, orderBy)
  const sign = orderBy.direction === 'ASC' ? 1 : -1
  const isAfter = (position: Position, bound: Position) => sign * comparePositions(position, bound) > 0
  const within = all.filter(
    (position) => (!after || isAfter(position, after)) && (!before || isAfter(before, position)),
  )
  const page = from === 'start' ? within.slice(0, size) : within.slice(-size)
  const isCut = page.length < within.length
  return {
    ids: page.map(({ id }) => String(id)),
    hasPreviousPage: from === 'end' ? isCut : after !== undefined && all.some((pet) => !isAfter(pet, after)),
    hasNextPage: from === 'start' ? isCut : before !== undefined && all.some((pet) => !isAfter(before, pet)),
  }
}

/** The position of a pet in a list. */
export function positionOf({ id, name }: ModelPet, field: PetOrder['field']): Position {
  return { id, nameKey: field === 'NAME' ? toLowerCase(name) : '' }
}

function listPositions(
  pets: ModelPet[],
  { status, categoryId, namePrefix }: Filter,
  { field, direction }: PetOrder,
): Position[] {
  const listed = pets
    .filter((pet) => !status || status.includes(pet.status))
    .filter((pet) => !categoryId || categoryId.includes(pet.categoryId))
    .filter(({ name }) => toLowerCase(name).startsWith(toLowerCase(namePrefix ?? '')))
    .map((pet) => positionOf(pet, field))
    .sort(comparePositions)
  return direction === 'ASC' ? listed : listed.reverse()
}

function comparePositions(a: Position, b: Position): number {
  const byName = Buffer.compare(Buffer.from(a.nameKey), Buffer.from(b.nameKey))
  return byName || (a.id < b.id ? -1 : Number(a.id > b.id))
}

/** Character by character, like Postgres. */
function toLowerCase(text: string): string {
  return Array.from(text, (character) => character.toLowerCase()).join('')
}
