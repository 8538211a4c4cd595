import type { PetEvent } from '../../../src/pets/pet-event.ts'

/** The event for a created pet. */
export function createPetEvent(id: number, name = 'Rex'): PetEvent {
  return {
    kind: 'created',
    pet: { id: String(id), name, categoryId: '7', status: null },
    states: [{ categoryId: '7', status: null, nameKey: name.toLowerCase() }],
  }
}
