/** The events of a resource: how their rows are read, and which of them are about the items that a client asks for. */
import { getTableName } from 'drizzle-orm'
import type { EventSource, RowEvent } from '../db/events/event-notifications.ts'
import type { Resource } from './fields/resource.ts'
import { readRowState } from './fields/row-state.ts'
import { type Condition, matchesAll } from './lists/conditions.ts'

/** How the rows of a resource are read from events. */
export function eventSourceOf(resource: Resource): EventSource {
  return {
    table: getTableName(resource.table),
    readRow: (written) => readRowState(resource, written),
  }
}

/**
 * Whether an event is about an item of the resource that meets all conditions, now or before: a list that shows it must learn that it no
 * longer belongs there.
 */
export function matchesEvent(
  resource: Resource,
  { table, row, before }: RowEvent,
  conditions: readonly Condition[],
): boolean {
  if (table !== getTableName(resource.table)) return false
  return matchesAll(row, conditions) || (before !== null && matchesAll(before, conditions))
}
