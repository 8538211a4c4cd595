/** What events contain of the rows of a resource. */
import { getTableName } from 'drizzle-orm'
import { type EventSource, type RowEvent, type RowState } from '../db/events/event-notifications.ts'
import { INVALID, type Value } from './fields/field-type.ts'
import type { Item, Resource } from './fields/resource.ts'
import type { List } from './list.ts'
import { type FilterValues, matchesFilters } from './lists/filters.ts'
import type { ListDescription } from './lists/orders.ts'

/** How the rows of a resource are read from events, which any role may send. */
export function eventSourceOf({ table, fields, sortKeys }: Resource): EventSource {
  return {
    table: getTableName(table),
    readRow(written) {
      const row: Record<string, Value> = {}
      for (const field of fields) {
        const { name } = field.column
        const column = written[name]
        // On Citus, a server of an earlier version, which knows fewer columns, may have announced the event.
        const value = column === undefined ? field.default : field.readColumn(column)
        if (value === undefined || value === INVALID) return null
        row[name] = value
      }
      for (const { name } of sortKeys) {
        const key = written[name]
        // Without it, nothing tells which filters by prefix match.
        if (typeof key !== 'string' && key !== null) return null
        row[name] = key
      }
      return row
    },
  }
}

/** The item of an event. */
export function toItem<TItem extends Item>({ fields }: Resource<TItem>, row: RowState): TItem {
  const item = Object.fromEntries(fields.map(({ name, column }) => [name, row[column.name]]))
  // readRow has checked each value.
  return item as TItem
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
