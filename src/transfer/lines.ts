/** The lines of a file, and what one says about an item, whatever the format. */
import { isUtf8 } from 'node:buffer'
import { MIN_INT64 } from '../base/int64.ts'
import { type Field, isInt64Field, type Resource, type Value } from '../resource/resource.ts'
import { findExpected, readValue } from '../resource/item-validation.ts'
import { type ImportedItem, MAX_KEPT_ID } from '../resource/transfer-statements.ts'

export interface Line {
  /** From 1. */
  number: number
  /** Without the line feed. */
  text: string
  /** Why the text is missing. */
  problem?: string
}

/** The longest name takes 384 KiB, if each of its characters is escaped. */
const MAX_LINE_BYTES = 2 ** 20
const TOO_LONG = 'The line is longer than 1 MiB.'
export const NOT_UTF8 = 'The line is not UTF-8.'
const LINE_FEED = 10

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Without the mark at the beginning that some programs write. */
export async function* withoutByteOrderMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  /** Null: it has been passed on. */
  let start: Buffer | null = Buffer.alloc(0)
  for await (const chunk of source) {
    if (!start) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < BYTE_ORDER_MARK.length) continue
    yield start.subarray(start.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0)
    start = null
  }
  if (start) yield start
}

/** The lines of each chunk. An invalid line does not affect the others. */
export async function* readLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let number = 1
  let rest: Buffer[] = []
  let length = 0
  for await (const chunk of withoutByteOrderMark(bytes)) {
    const end = chunk.lastIndexOf(LINE_FEED)
    if (end >= 0) {
      const lines = toLines(rest, length, chunk.subarray(0, end), number)
      yield lines
      number += lines.length
      rest = []
      length = 0
    }
    length += chunk.length - (end + 1)
    // A line that is too long is not kept.
    rest = length > MAX_LINE_BYTES ? [] : [...rest, chunk.subarray(end + 1)]
  }
  if (length > 0) yield toLines(rest, length, Buffer.alloc(0), number)
}

/** @param length that of the beginning, which itself is empty if it was too long */
function toLines(beginning: readonly Buffer[], length: number, chunk: Buffer, number: number): Line[] {
  const lines = decodeLines(Buffer.concat([...beginning, chunk])).map((line, index) => ({
    number: number + index,
    ...line,
  }))
  return length > MAX_LINE_BYTES ? [{ number, text: '', problem: TOO_LONG }, ...lines.slice(1)] : lines
}

function decodeLines(bytes: Buffer): Pick<Line, 'text' | 'problem'>[] {
  if (isUtf8(bytes)) return Array.from(bytes.toString().split('\n'), (text) => ({ text }))
  // In UTF-8, no part of a longer character is a line feed, so the lines can be split in any encoding with one byte per character.
  return Array.from(bytes.toString('latin1').split('\n'), (text) => {
    const line = Buffer.from(text, 'latin1')
    return isUtf8(line) ? { text: line.toString() } : { text: '', problem: NOT_UTF8 }
  })
}

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

const KEPT_IDS = `an integer from ${MIN_INT64} to ${MAX_KEPT_ID}, since new ids continue after the greatest one`

/** @param values each as it was read, by the name of its field: an integer as a bigint */
export function toItemLine(
  line: number,
  values: Readonly<Record<string, unknown>>,
  { resource, keepIds }: ReadOptions,
): ItemLine {
  const item: Record<string, Value> = {}
  const problems: string[] = []
  const id = keepIds && typeof values.id === 'bigint' && values.id <= MAX_KEPT_ID ? String(values.id) : null
  if (keepIds && id === null) problems.push(describe(resource.id, values.id, KEPT_IDS))
  for (const field of resource.newFields) {
    const sent = values[field.name]
    const value = sent == null && field.default !== undefined ? field.default : readValue(field, sent)
    const expected = findExpected(field, value)
    if (expected !== null) problems.push(describe(field, sent, expected))
    item[field.name] = value ?? null
  }
  if (problems.length > 0) return { line, reason: problems.join(' ') }
  return { line, item: { ...item, line: String(line), id } }
}

/** Names an invalid field, and says what was expected. */
function describe({ name }: Field, value: unknown, expected: string): string {
  return value === undefined ? `${name} is missing; it must be ${expected}.` : `${name} must be ${expected}.`
}

/** The names of the fields, in the order in which they are written. */
export function fieldNames({ fields }: Resource): string[] {
  return fields.map(({ name }) => name)
}

/** Whether the text of a field is a number. */
export function isNumeric(field: Field): boolean {
  return isInt64Field(field) || field.column.dataType === 'number'
}
