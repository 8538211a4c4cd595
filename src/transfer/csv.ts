/** CSV (RFC 4180) with a header; the columns are the fields of the REST API. */
import { isInt64 } from '../base/int64.ts'
import type { Field, Item, Resource } from '../resource/resource.ts'
import { CsvRecord } from './csv-record.ts'
import type { Line } from './lines.ts'
import {
  type BadLine,
  fieldNames,
  isNumeric,
  type ItemLine,
  type ReadOptions,
  toItemLine,
} from './item-line.ts'
import { OperatorError } from '../base/errors.ts'

/** UTF-16 units of a record. */
const MAX_LENGTH = 2 ** 20
const NOT_CLOSED = 'The closing quote is missing, or more than 1 MiB away.'

/** A number of JSON. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

interface Record {
  /** The number of its first line. */
  line: number
  fields: (string | null)[]
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

function readHeader(record: Record | BadLine, { resource, keepIds }: ReadOptions): Field[] {
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

function readItem({ line, fields }: Record, columns: readonly Field[], options: ReadOptions): ItemLine {
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
async function* readRecords(source: AsyncIterable<Line[]>): AsyncGenerator<(Record | BadLine)[]> {
  let open: Line[] = []
  let length = 0
  let record = new CsvRecord()

  /** @returns the problem of a record, or null */
  function add({ text, problem }: Line): string | null {
    length += text.length
    return problem ?? record.add(text) ?? (record.isOpen && length > MAX_LENGTH ? NOT_CLOSED : null)
  }

  function read(lines: readonly Line[], isLast: boolean): (Record | BadLine)[] {
    const found: (Record | BadLine)[] = []
    const left = lines.toReversed()
    for (;;) {
      const line = left.pop()
      if (!line && !(isLast && record.isOpen)) return found
      if (line && !record.isOpen && !line.problem && line.text.trim() === '') continue
      if (line) open.push(line)
      const problem = line ? add(line) : NOT_CLOSED
      if (problem === null && record.isOpen) continue
      const [{ number } = { number: 0 }, ...others] = open
      found.push(
        problem === null ? { line: number, fields: record.fields } : { line: number, reason: problem },
      )
      // What followed a wrong quote may be right.
      if (problem !== null) for (const other of others.reverse()) left.push(other)
      open = []
      length = 0
      record = new CsvRecord()
    }
  }

  for await (const lines of source) yield read(lines, false)
  yield read([], true)
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
