/**
 * The types that the columns of a resource may have, and how their values are checked and read. To support another one, add a case to
 * typeOf. A field of it is then read in the `readRow` of its resource; to filter by it, `anyOf` (lists/filters.ts) takes texts only.
 *
 * | a value comes from | its type is checked by | its content by    |
 * | ------------------ | ---------------------- | ----------------- |
 * | either API         | the GraphQL schema     | `expectedInstead` |
 * | a line of a file   | `read`                 | `expectedInstead` |
 * | an event           | `readColumn`           | –: it was stored  |
 * | a stored row       | `Resource.readRow`     | –                 |
 */
import type { PgColumn } from 'drizzle-orm/pg-core'
import { INT64_RANGE, isExactInt64, isInt64 } from '../../base/int64.ts'

/** A value of a field; that of an int64 is a string. */
export type Value = string | number | boolean | null

/** What is read where there is no value of a type. `undefined` means something else: that there is nothing. */
export const INVALID = Symbol('invalid')

export interface FieldType {
  /** Its Postgres type in casts, such as that of a placeholder. */
  type: string
  /** Whether its values are texts: JSON has them in quotes, CSV as they are. */
  isText: boolean
  /** What a value has to be, after "must be". */
  expected: string
  /** For a value of the type, from GraphQL or `read`: what it must be instead, after "must be"; null: it is valid. */
  expectedInstead: (value: Value) => string | null
  /** Reads a value from JSON in which each integer became a bigint. */
  read: (json: unknown) => Value | typeof INVALID
  /** Reads a column of the row of an event from such JSON: a trigger has written it, or another server, maybe of another version. */
  readColumn: (json: unknown) => Value | typeof INVALID
}

/** @throws Error if a field cannot have it: what reads rows, events and files would not know its values */
export function typeOf(column: PgColumn): FieldType {
  const type = column.getSQLType()
  const { enumValues } = column
  if (type === 'bigint' || type === 'bigserial') {
    const read = (json: unknown) => (isExactInt64(json) ? String(json) : INVALID)
    return {
      type: 'bigint',
      isText: false,
      expected: INT64_RANGE,
      expectedInstead: () => null,
      read,
      // On Citus, where a server writes it, it is a string of digits.
      readColumn: (json) => (typeof json === 'string' && isInt64(json) ? json : read(json)),
    }
  }
  if (enumValues)
    return {
      type: toCastType(type),
      isText: true,
      expected: `one of ${enumValues.join(', ')}`,
      expectedInstead: () => null,
      read: (json) => enumValues.find((known) => known === json) ?? INVALID,
      // A later version may know more values.
      readColumn: readText,
    }
  if (!/^(text|varchar(\(\d+\))?)$/.test(type)) throw new Error(`A field cannot have the type ${type}`)
  const maxLength = 'length' in column && typeof column.length === 'number' ? column.length : Infinity
  const expected = maxLength === Infinity ? 'a string' : `a string of at most ${maxLength} characters`
  return {
    type: toCastType(type),
    isText: true,
    expected,
    expectedInstead: (value) =>
      typeof value === 'string'
        ? (expectedTextInstead(value) ?? (isLonger(value, maxLength) ? expected : null))
        : null,
    read: readText,
    readColumn: readText,
  }
}

/** A type without its length: a cast to varchar(n) would cut a longer text without an error. @throws Error if it needs quotes */
function toCastType(type: string): string {
  const name = type.replace(/\(.*$/, '')
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`The type ${name} needs quotes: rename it`)
  return name
}

const readText = (json: unknown) => (typeof json === 'string' ? json : INVALID)

/** Postgres counts code points. */
function isLonger(text: string, maxLength: number): boolean {
  return text.length > maxLength && Array.from(text).length > maxLength
}

/**
 * Postgres stores neither U+0000 nor lone surrogates; dropping them silently would change the text.
 * @returns as FieldType.expectedInstead
 */
export function expectedTextInstead(text: string): string | null {
  return text.includes('\0') || !text.isWellFormed()
    ? 'a string without U+0000 and without lone surrogates'
    : null
}
