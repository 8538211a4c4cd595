/** CSV (RFC 4180) with a header; the columns are the fields of the REST API. */
import { OperatorError } from '../base/errors.ts'
import { isInt64 } from '../base/int64.ts'
import type { Field, Item, Resource } from '../resource/resource.ts'
import {
  type BadLine,
  fieldNames,
  isNumeric,
  type ItemLine,
  type Line,
  type ReadOptions,
  toItemLine,
} from './lines.ts'

/** UTF-16 units of a record. */
const MAX_LENGTH = 2 ** 20
const NOT_CLOSED = 'The closing quote is missing, or more than 1 MiB away.'

/** A number of JSON. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A record of a file: its fields, and the number of its first line. */
interface Row {
  line: number
  fields: CsvRecord['fields']
}

/** Only the invalid line is skipped: reading continues with the line after it. @throws OperatorError for an invalid header */
export async function* readCsv(
  source: AsyncIterable<Line[]>,
  options: ReadOptions,
): AsyncGenerator<ItemLine[]> {
  let columns: Field[] | null = null
  for await (const records of readRecords(source)) {
    const items: ItemLine[] = []
    for (const record of records) {
      if (columns) items.push('reason' in record ? record : readItem(record, columns, options))
      else columns = readHeader(record, options)
    }
    yield items
  }
  if (!columns)
    throw new OperatorError(
      `line 1: The header is missing; an example: ${options.resource.newFields.map(({ name }) => name).join()}.`,
    )
}

function readHeader(record: Row | BadLine, { resource, keepIds }: ReadOptions): Field[] {
  if ('reason' in record) throw new OperatorError(`line ${record.line}: ${record.reason}`)
  const names = record.fields.map((field) => field ?? '')
  const columns = names.flatMap((name) => resource.fields.filter((field) => field.name === name))
  const required = resource.fields.filter((field) =>
    field === resource.id ? keepIds : field.default === undefined,
  )
  const known = fieldNames(resource)
  const unknown = names.find((name) => !known.includes(name))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const missing = required.find((field) => !columns.includes(field))
  const problem =
    (unknown !== undefined && `Unknown column ${JSON.stringify(unknown)}`) ||
    (twice !== undefined && `The column ${twice} is there twice`) ||
    (missing !== undefined && `The column ${missing.name} is missing`)
  if (!problem) return columns
  throw new OperatorError(
    `line ${record.line}: ${problem}. The columns are ${known.join(', ')}, in any order.`,
  )
}

function readItem({ line, fields }: Row, columns: readonly Field[], options: ReadOptions): ItemLine {
  if (fields.length !== columns.length) {
    return { line, reason: `The line has ${fields.length} fields, but the header has ${columns.length}.` }
  }
  const values = Object.fromEntries(
    columns.map((column, index) => [column.name, readText(column, fields[index])]),
  )
  return toItemLine(line, values, options)
}

/** A value as JSON would have it; text that is none stays text, and is rejected later. */
function readText(field: Field, text: string | null | undefined): unknown {
  if (text == null) return undefined
  if (isNumeric(field) && isInt64(text)) return BigInt(text)
  if (field.column.dataType === 'number') return DECIMAL.test(text) ? Number(text) : text
  if (field.column.dataType !== 'boolean') return text
  return { true: true, false: false }[text] ?? text
}

/** The records that end in each chunk. Blank lines are not records. */
async function* readRecords(source: AsyncIterable<Line[]>): AsyncGenerator<(Row | BadLine)[]> {
  let record = new CsvRecord()

  function read(lines: readonly Line[], isLast: boolean): (Row | BadLine)[] {
    const found: (Row | BadLine)[] = []
    const left = lines.toReversed()
    for (;;) {
      const line = left.pop()
      if (!line && !(isLast && record.isOpen)) return found
      if (line && !record.isOpen && !line.problem && line.text.trim() === '') continue
      const problem = line ? record.add(line) : NOT_CLOSED
      if (problem === null && record.isOpen) continue
      const [{ number } = { number: 0 }, ...others] = record.lines
      found.push(
        problem === null ? { line: number, fields: record.fields } : { line: number, reason: problem },
      )
      // What followed a wrong quote may be right.
      if (problem !== null) for (const other of others.reverse()) left.push(other)
      record = new CsvRecord()
    }
  }

  for await (const lines of source) yield read(lines, false)
  yield read([], true)
}

/**
 * Reads one record, whose quoted fields may contain line breaks. No library is used: of those that we tried, none both keeps line
 * numbers after a CR LF inside quotes and goes on after a misplaced quote.
 */
class CsvRecord {
  readonly lines: Line[] = []
  #length = 0
  /** null: nothing, not even quotes. */
  readonly fields: (string | null)[] = []
  /** The text so far of a field whose quotes are still open. */
  #quoted: string | null = null

  get isOpen(): boolean {
    return this.#quoted !== null
  }

  /** @returns what is wrong with the record, or null */
  add(line: Line): string | null {
    this.lines.push(line)
    this.#length += line.text.length
    const problem = line.problem ?? this.#addFields(line.text)
    return problem ?? (this.isOpen && this.#length > MAX_LENGTH ? NOT_CLOSED : null)
  }

  #addFields(line: string): string | null {
    const end = line.endsWith('\r') ? line.length - 1 : line.length
    for (let at = 0; ; at += 1) {
      at = this.isOpen || line[at] === '"' ? this.#addQuoted(line, at) : this.#addPlain(line, at, end)
      if (at < 0) return 'A field that contains a quote must be in quotes, and each quote in it doubled.'
      if (this.isOpen || at >= end) return null
      if (line[at] !== ',') return 'After a closing quote, there must be a comma or the end of the line.'
    }
  }

  /** @returns the position after the field, or -1 */
  #addPlain(line: string, start: number, end: number): number {
    const comma = line.indexOf(',', start)
    const next = comma < 0 ? end : comma
    const text = line.slice(start, next)
    this.fields.push(text === '' ? null : text)
    return text.includes('"') ? -1 : next
  }

  /** @returns the position after the field, or after the line if the quotes are still open */
  #addQuoted(line: string, start: number): number {
    let text = this.#quoted ?? ''
    let at = this.isOpen ? start : start + 1
    for (;;) {
      const quote = line.indexOf('"', at)
      if (quote < 0) {
        this.#quoted = `${text}${line.slice(at)}\n`
        return line.length
      }
      text += line.slice(at, quote)
      if (line[quote + 1] !== '"') {
        this.fields.push(text)
        this.#quoted = null
        return quote + 1
      }
      text += '"'
      at = quote + 2
    }
  }
}

export function toCsvHeader(resource: Resource): string {
  return `${fieldNames(resource).join()}\n`
}

/** Writes the line of an item; a value that is not set is an empty field. */
export function createCsvWriter<One extends Item>({ fields }: Resource<One>): (item: One) => string {
  return (item) => {
    const texts = fields.map(({ name }) => {
      const value = item[name] ?? null
      return typeof value === 'string' ? quoteIfNeeded(value) : String(value ?? '')
    })
    return `${texts.join()}\n`
  }
}

/** An empty text is quoted, because without quotes it would be missing. Some programs drop spaces at the ends. */
function quoteIfNeeded(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
