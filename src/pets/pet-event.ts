import type { Pet, PetStatus } from './pet.ts'
import type { PetFilter } from './pet-range.ts'
import type { WalPosition } from '../db/standbys/wal-position.ts'

/** A pet was created, updated or deleted, by this server, another one, or plain SQL. */
export interface PetEvent {
  kind: 'created' | 'updated' | 'deleted'
  /** The pet as it is now or, if it was deleted, as it was. */
  pet: Pet
  /** What filters compare: the pet as it is now and, if it was updated, as it was before. */
  states: PetState[]
  /** A position in the WAL after the event, if standbys answer reads. */
  walPosition?: WalPosition
}

export interface PetState {
  categoryId: string
  status: PetStatus | null
  nameKey: string
}

/** Whether a pet matches a filter now or did before the event: a list that shows it must learn that it no longer belongs there. */
export function matchesFilter(
  { states }: PetEvent,
  { status, categoryId, keyPrefix = '' }: PetFilter,
): boolean {
  return states.some(
    (state) =>
      (!status || (state.status !== null && status.includes(state.status))) &&
      (!categoryId || categoryId.includes(state.categoryId)) &&
      state.nameKey.startsWith(keyPrefix),
  )
}
