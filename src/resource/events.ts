/** What events contain of the rows of a resource. */
import type { EventSource } from '../db/events/change-notifications.ts'
import type { RowEvent, RowState } from '../db/events/change-feed.ts'
import { type FilterOf, type ListDescription, matchesFilter, sortKeysOf } from './list.ts'
import { isInt64 } from '../base/int64.ts'
import { isInt64Field, type Item, type Resource, type Value } from './resource.ts'
import { readValue } from './validation.ts'

/** @param list the sort keys of its orders are part of each event */
export function describeEvents(
  { fields }: Pick<Resource, 'fields'>,
  names: Pick<EventSource, 'channel' | 'writeFunction'>,
  list: ListDescription,
): EventSource {
  const keys = sortKeysOf(list).map(({ name }) => name)
  return {
    ...names,
    readRow(written, writtenKeys, { namedBy, isNew }) {
      const row: Record<string, Value> = {}
      for (const field of fields) {
        const column = field.column.name
        const sent = written[namedBy === 'column' ? column : field.name]
        // An int64 may also be a string of digits: on Citus and from version 1.0, all are.
        const isDigits = isInt64Field(field) && typeof sent === 'string' && isInt64(sent)
        const isAbsent = isNew && field.isLater && sent === undefined
        const value = isAbsent ? field.default : readValue(field, isDigits ? BigInt(sent) : sent)
        if (value === undefined) return null
        row[column] = value
      }
      for (const key of keys) {
        const value = writtenKeys[key]
        if (typeof value !== 'string') return null
        row[key] = value
      }
      return row
    },
  }
}

/** The item of an event. */
export function toItem<One extends Item>({ fields }: Resource<One>, row: RowState): One {
  const item = Object.fromEntries(fields.map(({ name, column }) => [name, row[column.name]]))
  // readRow has checked each value.
  return item as One
}

/** Whether an item matches a filter now or did before the event: a list that shows it must learn that it no longer belongs there. */
export function matchesEvent<List extends ListDescription>(
  list: List,
  { row, before }: RowEvent,
  filter: FilterOf<List>,
): boolean {
  return matchesFilter(list, row, filter) || (before !== null && matchesFilter(list, before, filter))
}
