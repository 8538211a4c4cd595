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

/** The longest record, in UTF-16 units. */
const MAX_LENGTH = 2 ** 20
const NOT_QUOTED = 'A field that contains a quote must be in quotes, and each quote in it doubled.'
const NOT_ENDED = 'After a closing quote, there must be a comma or the end of the line.'
const NOT_CLOSED = 'The closing quote is missing, or more than 1 MiB away.'

/** A number as JSON writes it. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A record of a file: its fields, and the number of its first line. */
interface Row {
  line: number
  /** null: the field is empty, without quotes. */
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
      `line 1: The header is missing. Example: ${options.resource.newFields.map(({ name }) => name).join()}`,
    )
}

function readHeader(record: Row | BadLine, { resource, keepIds }: ReadOptions): Field[] {
  if ('reason' in record) throw new OperatorError(`line ${record.line}: ${record.reason}`)
  const names = record.fields.map((field) => field ?? '')
  const separator = /^sep=|[;\t|]/.exec(names[0] ?? '')?.[0]
  const columns = names.flatMap((name) => resource.fields.filter((field) => field.name === name))
  const required = resource.fields.filter((field) =>
    field === resource.id ? keepIds : field.default === undefined,
  )
  const known = fieldNames(resource)
  const unknown = names.find((name) => !known.includes(name))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const missing = required.find((field) => !columns.includes(field))
  const problem =
    (separator === 'sep=' && 'Remove this line, which only Excel understands') ||
    (separator !== undefined && `The separator must be a comma, not ${JSON.stringify(separator)}`) ||
    (unknown !== undefined && `Unknown column ${JSON.stringify(unknown)}`) ||
    (twice !== undefined && `The column ${twice} occurs twice`) ||
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

/** The value of a text as JSON would have it; a text without such a value stays a text, and is rejected later. */
function readText(field: Field, text: string | null | undefined): unknown {
  if (text == null) return undefined
  if (isNumeric(field) && isInt64(text)) return BigInt(text)
  if (field.column.dataType === 'number') return DECIMAL.test(text) ? Number(text) : text
  if (field.column.dataType !== 'boolean') return text
  return { true: true, false: false }[text] ?? text
}

/** The records that end in each chunk. Blank lines are not records. */
async function* readRecords(source: AsyncIterable<Line[]>): AsyncGenerator<(Row | BadLine)[]> {
  let read = takeRecords([])
  for await (const lines of source) {
    read = takeRecords([...read.open, ...lines])
    yield read.records
  }
  for (let [first] = read.open; first; [first] = read.open) {
    read = takeRecords(read.open.slice(1))
    yield [{ line: first.number, reason: NOT_CLOSED }, ...read.records]
  }
}

/** @returns the records that end in these lines, and the lines of the last one if it does not */
function takeRecords(lines: Line[]): { records: (Row | BadLine)[]; open: Line[] } {
  const records: (Row | BadLine)[] = []
  for (let at = 0; ;) {
    const first = lines[at]
    const record = first && readRecord(lines, at)
    if (!record) return { records, open: lines.slice(at) }
    const line = first.number
    if ('reason' in record) records.push({ line, reason: record.reason })
    else if (first.text.trim() !== '') records.push({ line, fields: record.fields })
    // The lines after a misplaced quote may be valid.
    at = 'reason' in record ? at + 1 : record.end
  }
}

/** A field, plain or in quotes, and what ends it. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",]*?))(,|\r?$)/y
/** What may stand in quotes. */
const QUOTED = /^(?:[^"]|"")*$/

/**
 * Reads one record, whose quoted fields may contain line breaks. No library is used: of those that we tried, none both keeps line
 * numbers after a CR LF inside quotes and goes on after a misplaced quote.
 * @param start the index of its first line
 * @returns its fields, and the index of the line after it; what is wrong; or null if it does not end in these lines
 */
function readRecord(lines: readonly Line[], start: number) {
  const fields: Row['fields'] = []
  /** The text so far of a field whose quotes are still open. */
  let open = ''
  let length = 0
  for (let at = start; ; at += 1) {
    const line = lines[at]
    if (!line) return null
    if (line.problem !== undefined) return { reason: line.problem }
    // With its line feed: otherwise, blank lines would go on for ever.
    length += line.text.length + 1
    if (open !== '' && QUOTED.test(line.text)) open += line.text
    else {
      open = addFields(fields, open + line.text)
      if (open === '') return { fields, end: at + 1 }
      if (!open.startsWith('"')) return { reason: NOT_QUOTED }
      if (!QUOTED.test(open.slice(1))) return { reason: NOT_ENDED }
    }
    if (length > MAX_LENGTH) return { reason: NOT_CLOSED }
    open += '\n'
  }
}

/** Adds the fields at the beginning of a text. @returns the rest, which is not a whole field */
function addFields(fields: Row['fields'], text: string): string {
  for (let at = 0; ; at = FIELD.lastIndex) {
    FIELD.lastIndex = at
    const [, quoted, plain, end] = FIELD.exec(text) ?? []
    if (end === undefined) return text.slice(at)
    fields.push(quoted?.replaceAll('""', '"') ?? (plain || null))
    if (end !== ',') return ''
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

/** An empty text is quoted, because without quotes it would count as absent. So are spaces at the ends, which some programs drop. */
function quoteIfNeeded(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
