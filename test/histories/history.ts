/** The requests of clients and their answers. The checker needs nothing else. */

/** The fields of a pet. A name is `history.creation.write`: it says which creation made the pet, and which write named it. */
export interface Pet {
  name: string
  categoryId: string
  /** null: not set. */
  status: string | null
}

export interface IdentifiedPet extends Pet {
  id: string
}

export type Filter = Partial<Pick<Pet, 'categoryId' | 'status'>>

/** One page in the order of ids: every matching pet with an id from `after`, exclusive, to `upTo`. */
export interface Page {
  pets: IdentifiedPet[]
  /** null: there is no further page. */
  upTo: string | null
}

export type Refusal = 'NOT_FOUND' | 'CONFLICT'

/** A request and its answer. null: no answer came, so a write may have happened, may happen later, or never. */
export type Exchange =
  | { kind: 'create'; pet: Pet; answer: { id: string } | null }
  | { kind: 'read'; id: string; answer: Pet | 'NOT_FOUND' }
  | { kind: 'update'; id: string; patch: Partial<Pet>; expected: Partial<Pet>; answer: Pet | Refusal | null }
  | { kind: 'delete'; id: string; expected: Partial<Pet>; answer: Pet | Refusal | null }
  | { kind: 'page'; after: string; filter: Filter; answer: Page }
  | { kind: 'count'; filter: Filter; answer: number }

/**
 * An exchange, its client, and when it happened, in milliseconds: what is shown is a state between the start and the end, so that a read that may show
 * an old one starts earlier. Without an answer it has no end.
 */
export type Operation = Exchange & { client: number; start: number; end: number }

/** The part of a name that the pet keeps for its life. */
export function creationOf({ name }: Pet): string {
  return name.slice(0, name.lastIndexOf('.'))
}

export function matches(filter: Filter, pet: Pet): boolean {
  return (
    (filter.categoryId === undefined || filter.categoryId === pet.categoryId) &&
    (filter.status === undefined || filter.status === pet.status)
  )
}
