/** What a line of a file says about an item, and whether that is valid. */
import { MIN_INT64 } from '../base/int64.ts'
import {
  describeType,
  type Field,
  isInt64Field,
  readValue,
  type Resource,
  type Value,
} from '../resource/resource.ts'
import { type ImportedItem, MAX_KEPT_ID } from '../resource/transfer.ts'

/** A line that is an item, or why it is not. */
export type ItemLine = { line: number; item: ImportedItem } | BadLine

export interface BadLine {
  line: number
  reason: string
}

export interface ReadOptions {
  resource: Resource
  /** Whether each line must have an id, at most MAX_KEPT_ID; if not, ids are ignored. */
  keepIds: boolean
}

/** Each value as it was read, by the name of its field: an integer as a bigint. */
export type Values = Readonly<Record<string, unknown>>

const KEPT_IDS = `an integer from ${MIN_INT64} to ${MAX_KEPT_ID}, since new ids continue after the greatest one`

export function toItemLine(line: number, values: Values, { resource, keepIds }: ReadOptions): ItemLine {
  const item: Record<string, Value> = {}
  const problems: string[] = []
  const id = keepIds && typeof values.id === 'bigint' && values.id <= MAX_KEPT_ID ? String(values.id) : null
  if (keepIds && id === null) problems.push(describe(resource.id, values.id, KEPT_IDS))
  for (const field of resource.newFields) {
    const sent = values[field.name]
    const value = sent == null && field.default !== undefined ? field.default : readValue(field, sent)
    const expected =
      value === undefined ? describeType(field) : value === null ? null : (field.check?.(value) ?? null)
    if (expected !== null) problems.push(describe(field, sent, expected))
    item[field.name] = value ?? null
  }
  if (problems.length > 0) return { line, reason: problems.join(' ') }
  return { line, item: { ...item, line: String(line), id } }
}

/** Names an invalid field, and says what was expected. */
function describe({ name }: Field, value: unknown, expected: string): string {
  return value === undefined ? `${name} is missing: ${expected}.` : `${name} must be ${expected}.`
}

/** The names of the fields, in the order in which they are written. */
export function fieldNames({ fields }: Resource): string[] {
  return fields.map(({ name }) => name)
}

/** Whether the text of a field is a number. */
export function isNumeric(field: Field): boolean {
  return isInt64Field(field) || field.column.dataType === 'number'
}
