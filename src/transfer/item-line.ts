/** What a line of a file says about an item, whatever the format. */
import { MAX_INT64, MIN_INT64 } from '../base/int64.ts'
import { INVALID, type Value } from '../resource/fields/field-type.ts'
import type { Field, Resource } from '../resource/fields/resource.ts'
import { type FileJson, isFileObject, OtherNumber } from './file-numbers.ts'
import { BadLine, shorten } from './lines.ts'

/** An item of a file. Without an id, it gets a new one. */
export type ImportedItem = Readonly<Record<string, Value>> & { id: string | null }

/** A line that is an item. */
export interface ItemLine {
  /** From 1; of an item on several lines, the last one. */
  line: number
  item: ImportedItem
}

export interface ReadOptions {
  resource: Resource
  /** Whether each line must have an id, at most MAX_KEPT_ID; if not, ids are ignored. */
  keepIds: boolean
}

/** The greatest id that an import keeps. New ids continue after it, so it leaves 10^12 of them. */
const MAX_KEPT_ID = MAX_INT64 - 10n ** 12n
const KEPT_IDS = `an integer from ${MIN_INT64} to ${MAX_KEPT_ID}, since new ids continue after the greatest one`

/**
 * Reads the item of a line, or says what is wrong with each invalid field.
 * @param values each as it was read, by the name of its field
 */
export function toItemLine(
  line: number,
  values: Readonly<Record<string, FileJson | undefined>>,
  { resource, keepIds }: ReadOptions,
): ItemLine | BadLine {
  const item: Record<string, Value> = {}
  const problems: string[] = []
  const id = keepIds && typeof values.id === 'bigint' && values.id <= MAX_KEPT_ID ? String(values.id) : null
  if (keepIds && id === null) problems.push(describeProblem(resource.id, values.id, KEPT_IDS))
  for (const field of resource.newFields) {
    const input = values[field.name]
    const read = readValue(field, input)
    if ('expected' in read) problems.push(describeProblem(field, input, read.expected))
    else item[field.name] = read.value
  }
  return problems.length > 0 ? new BadLine(line, problems.join(' ')) : { line, item: { ...item, id } }
}

/** @returns the value, or its default if there is none; or what it must be instead, after "must be" */
function readValue(field: Field, input: FileJson | undefined): { value: Value } | { expected: string } {
  if (input == null && field.default !== undefined) return { value: field.default }
  const value = field.read(input)
  if (value === INVALID) return { expected: field.expected }
  const expected = field.expectedInstead(value)
  return expected === null ? { value } : { expected }
}

/** Names an invalid field, and says what it is and what was expected. */
function describeProblem({ name }: Field, value: FileJson | undefined, expected: string): string {
  if (value instanceof OtherNumber && value.mayBeRounded)
    return `${name} is written as ${shorten(value.source)}, so a program may have rounded it; it must be written in digits only.`
  const found = value === undefined ? 'missing' : describeValue(value)
  return `${name} is ${found}; it must be ${expected}.`
}

function describeValue(value: FileJson): string {
  if (Array.isArray(value)) return 'a list'
  if (value instanceof OtherNumber) return shorten(value.source)
  if (isFileObject(value)) return 'an object'
  return shorten(typeof value === 'string' ? JSON.stringify(value) : String(value))
}
