/** A pet as a register with compare-and-set: what each operation does to it, and when its answer can be true. */
import { isDeepStrictEqual } from 'node:util'
import { type Filter, matches, type Pet, type Refusal } from './history.ts'

/** A pet: not created yet, as it is now, or deleted. */
export type State = Pet | 'unborn' | 'deleted'

/** An operation on one pet. An answer that is null may be anything. */
export type Step =
  | { kind: 'create'; pet: Pet }
  | { kind: 'update'; patch: Partial<Pet>; expected: Partial<Pet>; answer: Pet | Refusal | null }
  | { kind: 'delete'; expected: Partial<Pet>; answer: Pet | Refusal | null }
  | { kind: 'read'; answer: Pet | 'NOT_FOUND' }
  /** What a page shows: the pet, or that it does not match the filter. */
  | { kind: 'listed'; filter: Filter; answer: Pet | null }

/** @returns the state afterwards; null if the answer cannot be true in this state */
export function take(state: State, step: Step): State | null {
  const pet = typeof state === 'string' ? null : state
  switch (step.kind) {
    case 'create':
      // A repeated creation has the same idempotency key, and does nothing.
      return state === 'unborn' ? step.pet : state
    case 'read':
      return isDeepStrictEqual(step.answer, pet ?? 'NOT_FOUND') ? state : null
    case 'listed':
      return isDeepStrictEqual(step.answer, pet && matches(step.filter, pet) ? pet : null) ? state : null
    case 'update': {
      const next = pet && isAsExpected(pet, step.expected) ? { ...pet, ...step.patch } : null
      return answerWrite(state, step.answer, next, next ?? state)
    }
    case 'delete': {
      const deleted = pet && isAsExpected(pet, step.expected) ? pet : null
      return answerWrite(state, step.answer, deleted, deleted ? 'deleted' : state)
    }
  }
}

/** @param written the pet in the answer of a write that succeeds; null: it is refused @param next the state after it */
function answerWrite(
  state: State,
  answer: Pet | Refusal | null,
  written: Pet | null,
  next: State,
): State | null {
  const refusal = typeof state === 'string' ? 'NOT_FOUND' : 'CONFLICT'
  return answer === null || isDeepStrictEqual(answer, written ?? refusal) ? next : null
}

function isAsExpected(pet: Pet, expected: Partial<Pet>): boolean {
  return isDeepStrictEqual({ ...pet, ...expected }, pet)
}
