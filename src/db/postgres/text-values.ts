/** Readers of the texts that Postgres writes (`TextRow`). */
import { parse } from 'postgres-array'

/** Reads a boolean of a row, which must not be cast to text: that is written in full. NULL is not true. */
export function isTrue(value: string | null | undefined): boolean {
  return value === 't'
}

/** Reads a one-dimensional array of texts. @param array null means an empty array: array_agg of no rows is NULL */
export function readArray(array: string | null | undefined): (string | null)[] {
  return array == null ? [] : parse(array)
}
