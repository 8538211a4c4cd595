import type { RowEvent } from '../../../src/db/events/change-feed.ts'

/** The event for a created pet. */
export function createPetEvent(id: number, name = 'Rex'): RowEvent {
  return {
    kind: 'created',
    row: { id: String(id), name, category_id: '7', status: null, nameKey: name.toLowerCase() },
    before: null,
  }
}
