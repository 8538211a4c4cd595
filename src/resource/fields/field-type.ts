/** The types that the columns of a resource may have. To support another one, add a case here. */
import type { PgColumn } from 'drizzle-orm/pg-core'
import { INT64_RANGE, isExactInt64 } from '../../base/int64.ts'

/** A value of a field; that of an int64 is a string. */
export type Value = string | number | boolean | null

export interface FieldType {
  /** Its Postgres type in casts, such as that of a placeholder. */
  type: string
  /** What a value has to be, after "must be". */
  expected: string
  /** Whether a value of its type, which comes from GraphQL or from `read`, is valid. */
  allows: (value: Value) => boolean
  /** Reads a value from JSON in which each integer became a bigint. @returns undefined if it is not of the type */
  read: (value: unknown) => Value | undefined
}

/** @throws Error if a field cannot have it: what reads rows, events and files would not know its values */
export function typeOf(column: PgColumn): FieldType {
  const type = column.getSQLType()
  const { enumValues } = column
  if (type === 'bigint' || type === 'bigserial')
    return {
      type: 'bigint',
      expected: INT64_RANGE,
      allows: () => true,
      read: (value) => (isExactInt64(value) ? String(value) : undefined),
    }
  if (enumValues)
    return {
      type,
      expected: `one of ${enumValues.join(', ')}`,
      allows: () => true,
      read: (value) => enumValues.find((known) => known === value),
    }
  if (!/^(text|varchar(\(\d+\))?)$/.test(type)) throw new Error(`A field cannot have the type ${type}`)
  const maxLength = 'length' in column && typeof column.length === 'number' ? column.length : Infinity
  return {
    // A cast to varchar(n) would cut a longer text without an error.
    type: type.replace(/\(.*$/, ''),
    expected: maxLength === Infinity ? 'a string' : `a string of at most ${maxLength} characters`,
    // Postgres counts code points.
    allows: (value) =>
      typeof value !== 'string' || value.length <= maxLength || Array.from(value).length <= maxLength,
    read: (value) => (typeof value === 'string' ? value : undefined),
  }
}
