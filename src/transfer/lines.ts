/** The lines of a file, and what one says about an item, whatever the format. */
import { isUtf8 } from 'node:buffer'
import { MAX_INT64, MIN_INT64, parseJsonInt64 } from '../base/int64.ts'
import { parseExactJsonText } from '../base/json.ts'
import type { Value } from '../resource/fields/field-type.ts'
import { findExpected, readValue } from '../resource/fields/item-validation.ts'
import type { Field, Resource } from '../resource/fields/resource.ts'

/** The longest line, in bytes, which bounds the memory of an import. */
export const MAX_LINE_BYTES = 2 ** 16
const TOO_LONG = 'The line is longer than 64 KiB.'

/** The greatest id that an import keeps. New ids continue after it, so it leaves a million million of them. */
const MAX_KEPT_ID = MAX_INT64 - 10n ** 12n

/** An item of a file. Without an id, it gets a new one. */
export type ImportedItem = Readonly<Record<string, Value>> & { id: string | null }

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

/** A line as text, with its line feed. */
interface Line {
  /** From 1. */
  line: number
  text: string
}

/**
 * The lines of a file, those of a chunk together, since waiting for each line would take long.
 * @throws BadLine for a line that is too long, or not UTF-8, after the lines before it
 */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let line = 1
  let remaining = Buffer.alloc(0)
  for await (const chunk of source) {
    remaining = Buffer.concat([remaining, chunk])
    const lines: Line[] = []
    try {
      // In UTF-8, no other character contains the byte of a line feed.
      for (let end; (end = remaining.indexOf('\n') + 1) > 0; remaining = remaining.subarray(end))
        lines.push(decodeLine(remaining.subarray(0, end), line++))
    } finally {
      // Also before it throws.
      yield lines
    }
    if (remaining.length > MAX_LINE_BYTES) throw new BadLine(line, TOO_LONG)
  }
  if (remaining.length > 0) yield [decodeLine(remaining, line)]
}

function decodeLine(bytes: Buffer, line: number): Line {
  if (bytes.length > MAX_LINE_BYTES) throw new BadLine(line, TOO_LONG)
  if (!isUtf8(bytes)) throw new BadLine(line, 'The line is not UTF-8.')
  const text = bytes.toString()
  // Some programs begin a file with a byte order mark.
  return { line, text: line === 1 ? text.replace(/^\ufeff/, '') : text }
}

/** A number that is not read as an integer, as it is written. */
class OtherNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  /** Whether it is an integer in a notation that programs use only if they hold it as a floating-point number. */
  get mayBeRounded(): boolean {
    return /e|\.0+$/i.test(this.source)
  }
}

/**
 * Parses JSON as parseExactJsonText does, but stricter, since files pass through programs that round: an integer becomes a bigint only if
 * it is written without an exponent and, beyond 2^53, without a decimal point. @throws as parseExactJsonText
 */
export function parseFileJson(json: string): unknown {
  return parseExactJsonText(json, (source, value) => {
    const isExact = /^-?\d+$/.test(source) || (Number.isSafeInteger(value) && !/e/i.test(source))
    return (isExact ? parseJsonInt64(source) : null) ?? new OtherNumber(source)
  })
}

const KEPT_IDS = `an integer from ${MIN_INT64} to ${MAX_KEPT_ID}, since new ids continue after the greatest one`

/** @param values each as it was read, by the name of its field: a number as parseFileJson returns it */
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
    const input = values[field.name]
    const value = input == null && field.default !== undefined ? field.default : readValue(field, input)
    const expected = findExpected(field, value)
    if (expected !== null) problems.push(describe(field, input, expected))
    item[field.name] = value ?? null
  }
  return problems.length > 0 ? new BadLine(line, problems.join(' ')) : { line, item: { ...item, id } }
}

/** Names an invalid field, and says what it is and what was expected. */
function describe({ name }: Field, value: unknown, expected: string): string {
  if (value instanceof OtherNumber && value.mayBeRounded)
    return `${name} is written as ${value.source}, so a program may have rounded it; it must be written in digits only.`
  const found = value === undefined ? ' missing' : show(value)
  return `${name} is${found}; it must be ${expected}.`
}

/** The maximum number of characters of a value in a message. */
const MAX_SHOWN = 40

function show(value: unknown): string {
  if (value instanceof OtherNumber) return ` ${value.source}`
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? ' a list' : ' an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return ` ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`
}
