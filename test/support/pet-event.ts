import type { RowEvent } from '../../src/db/events/event-notifications.ts'

/** The event for a created pet. */
export function createPetEvent(id: number, name = 'Rex'): RowEvent {
  return {
    table: 'pets',
    kind: 'created',
    row: { id: String(id), name, category_id: '7', status: null, name_key: name.toLowerCase() },
    before: null,
  }
}
