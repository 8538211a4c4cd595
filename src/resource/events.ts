/** The events of a resource: how their rows are read, and which of them are about a list. */
import { getTableName } from 'drizzle-orm'
import type { EventSource, RowEvent } from '../db/events/event-notifications.ts'
import type { Item, Resource } from './fields/resource.ts'
import { readRowState } from './fields/row-state.ts'
import type { List } from './list.ts'
import { type FilterValues, matchesFilters } from './lists/filter-values.ts'
import type { ListDescription } from './lists/orders.ts'

/** How the rows of a resource are read from events. */
export function eventSourceOf(resource: Resource): EventSource {
  return {
    table: getTableName(resource.table),
    readRow: (written) => readRowState(resource, written),
  }
}

/**
 * Whether an event is about an item of the list that matches a filter, now or before: a list that shows it must learn that it no longer
 * belongs there.
 */
export function matchesEvent<Description extends ListDescription>(
  { resource, description }: Pick<List<Item, Description>, 'resource' | 'description'>,
  { table, row, before }: RowEvent,
  filter: FilterValues<Description['filters']>,
): boolean {
  const { filters } = description
  if (table !== getTableName(resource.table)) return false
  return matchesFilters(filters, row, filter) || (before !== null && matchesFilters(filters, before, filter))
}
