import type { PetStatus } from './pet.ts'

/** Conditions on pets; an absent one does not restrict. */
export interface PetFilter {
  /** Any of these. */
  status?: readonly PetStatus[] | undefined
  /** Any of these. */
  categoryId?: readonly string[] | undefined
  /** The beginning of the name's key; see toNameKey. */
  keyPrefix?: string | undefined
}

export interface PetOrder {
  field: 'ID' | 'NAME'
  direction: 'ASC' | 'DESC'
}

/** The position of a pet in a list. In a list by name, pets with equal names are ordered by id. */
export interface PetPosition {
  id: string
  /** The key of its name; null in a list by id. */
  nameKey: string | null
}

/** A bound of a range. The pet at the position is not in the range, unless the bound says so. */
export interface PetBound extends PetPosition {
  isIncluded?: boolean
}

/** A range of a list. */
export interface PetRange {
  filter: PetFilter
  order: PetOrder
  /** Only pets between these two, in list order. */
  after?: PetBound | undefined
  before?: PetBound | undefined
  /** At most MAX_ROWS. */
  limit: number
  /** The end of the range that the limit counts from. */
  from: 'start' | 'end'
}

/** The limits in the contract. */
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 20 } as const

/** The largest page plus one row, which tells whether another page follows. */
export const MAX_ROWS = PAGE_SIZE.maximum + 1
