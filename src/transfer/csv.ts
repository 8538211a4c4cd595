/** CSV (RFC 4180) with a header; the columns are the fields of the REST API. */
import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse'
import { OperatorError } from '../base/service-error.ts'
import { isInt64 } from '../base/int64.ts'
import type { Field, Item, Resource } from '../resource/resource.ts'
import {
  type BadLine,
  fieldNames,
  isNumeric,
  type ItemLine,
  NOT_UTF8,
  type ReadOptions,
  toItemLine,
  withoutByteOrderMark,
} from './lines.ts'

/** The longest record, in bytes. */
const MAX_BYTES = 2 ** 20

/** What ends an import, by the code of the parser's error: after a misplaced quote, nobody knows where the next record begins. */
const BROKEN: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'A field that contains a quote must be in quotes, and each quote in it doubled.',
  CSV_INVALID_CLOSING_QUOTE: 'After a closing quote, there must be a comma or the end of the line.',
  CSV_QUOTE_NOT_CLOSED: 'The closing quote is missing.',
  CSV_MAX_RECORD_SIZE: 'It is longer than 1 MiB. Is a closing quote missing?',
}

/** A number as JSON writes it. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A record of a file: its fields, and the number of its first line. */
interface Row {
  line: number
  /** null: the field is empty, without quotes. */
  fields: (string | null)[]
}

/** @throws OperatorError for an invalid header, or a record whose end cannot be found */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
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

/** What is known of a record until it ends. @param line where it begins, without the blank lines of the file */
function beginRecord(line: number) {
  return { line, fields: [] as Row['fields'], lineFeeds: 0, isQuoted: false, isUtf8: true }
}

/** The records that end in each chunk. Blank lines are not records. @throws OperatorError that names the first line of a broken record */
async function* readRecords(source: AsyncIterable<Buffer>): AsyncGenerator<(Row | BadLine)[]> {
  let records: (Row | BadLine)[] = []
  let current = beginRecord(1)
  const parser = parse({
    // Each byte becomes a character: otherwise, the parser would replace what is not UTF-8.
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_BYTES,
    cast(latin1, { quoting }) {
      const bytes = Buffer.from(latin1, 'latin1')
      current.fields.push(latin1 === '' && !quoting ? null : bytes.toString())
      current.isQuoted ||= quoting
      current.isUtf8 &&= isUtf8(bytes)
      if (quoting) current.lineFeeds += latin1.split('\n').length - 1
      return latin1
    },
    on_record(_, { empty_lines }) {
      const { fields, lineFeeds, isQuoted, isUtf8 } = current
      // The parser's own number counts a CR LF in quotes as two lines.
      const line = current.line + empty_lines
      const isBlank = fields.length === 1 && !isQuoted && fields[0]?.trim() === ''
      if (!isBlank) records.push(isUtf8 ? { line, fields } : { line, reason: NOT_UTF8 })
      current = beginRecord(current.line + 1 + lineFeeds)
      return null
    },
  })
  parser.resume().on('error', () => undefined)
  try {
    for await (const chunk of withoutByteOrderMark(source)) {
      await settle((done) => parser.write(chunk, done))
      yield records
      records = []
    }
    await settle((done) => parser.end(done))
    yield records
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    yield records
    const line = current.line + parser.info.empty_lines
    throw new OperatorError(
      `line ${line}: ${BROKEN[error.code] ?? error.message}\nNothing was imported. Correct the file.`,
    )
  }
}

/** Waits for a step of a stream. */
function settle(step: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => step((error) => (error ? reject(error) : resolve())))
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
