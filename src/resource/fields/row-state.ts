/** What an event contains of the row of a resource: a server announces it (on Citus) or a trigger does, and each server reads it. */
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { RowState } from '../../db/events/event-notifications.ts'
import type { TextRow } from '../../db/postgres/statement.ts'
import { INVALID, type Value } from './field-type.ts'
import type { FieldValues, Item, Resource } from './resource.ts'

/** The columns that an event contains: those of the fields, then the sort keys. */
export function rowStateColumnsOf({ fields, sortKeys }: Resource): PgColumn[] {
  return [...fields.map(({ column }) => column), ...sortKeys]
}

/** @param row rowStateColumnsOf, as a statement returns them; others may follow */
export function toRowState({ fields, sortKeys, readRow }: Resource, row: TextRow): RowState {
  const item: FieldValues = readRow(row)
  return Object.fromEntries([
    ...fields.map(({ name, column }) => [column.name, item[name] ?? null] as const),
    ...sortKeys.map(({ name }, index) => [name, row[fields.length + index] ?? null] as const),
  ])
}

/** @param written the columns by their names; any role may have sent them @returns null if one is missing or invalid */
export function readRowState(
  { fields, sortKeys }: Resource,
  written: Readonly<Record<string, unknown>>,
): RowState | null {
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
}

/** The item of an event. @param row as readRowState or toRowState made it */
export function toItem<TItem extends Item>({ fields }: Resource<TItem>, row: RowState): TItem {
  const item = Object.fromEntries(fields.map(({ name, column }) => [name, row[column.name]]))
  // Both have checked each value.
  return item as TItem
}
