import type { PetStatus } from './pet-status.ts'

/** Which animals; what is absent does not matter. */
export interface PetFilter {
  /** Animals with any of these. */
  status?: readonly PetStatus[] | undefined
  categoryId?: readonly string[] | undefined
  /** Animals whose name has a key that starts so; foldName makes it of the beginning of a name. */
  keyPrefix?: string | undefined
}

export interface PetOrder {
  field: 'ID' | 'NAME'
  direction: 'ASC' | 'DESC'
}

/** Where an animal stands in a list: in one by name, its id decides between equal names. */
export interface PetPosition {
  id: string
  /** What its name is compared by; null in a list by id. */
  nameKey: string | null
}

/** A stretch of a list. */
export interface PetRange {
  filter: PetFilter
  order: PetOrder
  /** Only animals strictly between these two, in the list's own order. */
  after?: PetPosition | undefined
  before?: PetPosition | undefined
  /** At most MAX_ROWS. */
  limit: number
  /** Which end of the stretch the limit counts from. */
  from: 'start' | 'end'
}

/** The largest page, and the one animal more that tells whether there is another page. */
export const MAX_ROWS = 101
