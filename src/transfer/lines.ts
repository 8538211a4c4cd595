/** The lines of a file, and what one says about an item, whatever the format. */
import { isUtf8 } from 'node:buffer'
import { MIN_INT64 } from '../base/int64.ts'
import type { Field, Resource, Value } from '../resource/resource.ts'
import { findExpected, readValue } from '../resource/item-validation.ts'
import { type ImportedItem, MAX_KEPT_ID } from '../resource/transfer-statements.ts'

/** The longest line, in bytes, which bounds the memory of an import. */
export const MAX_LINE_BYTES = 2 ** 16

/** A line that is an item. */
export interface ItemLine {
  /** From 1. */
  line: number
  item: ImportedItem
}

/** A line that is not an item. It is thrown if what follows cannot be read, either. */
export class BadLine extends Error {
  readonly line: number

  constructor(line: number, reason: string) {
    super(reason)
    this.name = 'BadLine'
    this.line = line
  }
}

export interface ReadOptions {
  resource: Resource
  /** Whether each line must have an id, at most MAX_KEPT_ID; if not, ids are ignored. */
  keepIds: boolean
}

/** The lines of a file, some at a time, with the number of the first. @throws BadLine for one that is too long, or not UTF-8 */
export async function* readLines(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<{ line: number; text: string }> {
  let line = 1
  let rest = Buffer.alloc(0)
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf('\n') + 1
    rest = bytes.subarray(end)
    if (end > 0) line = yield* decodeLines(bytes.subarray(0, end), line)
    if (rest.length > MAX_LINE_BYTES) throw new BadLine(line, 'The line is longer than 64 KiB.')
  }
  if (rest.length > 0) yield* decodeLines(rest, line)
}

/** @param line the number of the first line @returns the number of the line that follows */
function* decodeLines(bytes: Buffer, line: number): Generator<{ line: number; text: string }, number> {
  const text = isUtf8(bytes) ? bytes.toString() : decodeGoodLines(bytes)
  // Some programs begin a file with a byte order mark.
  if (text !== '') yield { line, text: line === 1 ? text.replace(/^\ufeff/, '') : text }
  const next = line + text.split('\n').length - 1
  if (Buffer.byteLength(text) < bytes.length) throw new BadLine(next, 'The line is not UTF-8.')
  return next
}

/** The lines before the first that is not UTF-8. */
function decodeGoodLines(bytes: Buffer): string {
  const lines = Array.from(bytes.toString('latin1').split('\n'), (line) => Buffer.from(line, 'latin1'))
  const good = lines.slice(
    0,
    lines.findIndex((line) => !isUtf8(line)),
  )
  return good.map((line) => `${line.toString()}\n`).join('')
}

const KEPT_IDS = `an integer from ${MIN_INT64} to ${MAX_KEPT_ID}, since new ids continue after the greatest one`

/** @param values each as it was read, by the name of its field: an integer as a bigint */
export function toItemLine(
  line: number,
  values: Readonly<Record<string, unknown>>,
  { resource, keepIds }: ReadOptions,
): ItemLine | BadLine {
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
  return problems.length > 0 ? new BadLine(line, problems.join(' ')) : { line, item: { ...item, id } }
}

/** Names an invalid field, and says what was expected. */
function describe({ name }: Field, value: unknown, expected: string): string {
  return value === undefined ? `${name} is missing; it must be ${expected}.` : `${name} must be ${expected}.`
}
