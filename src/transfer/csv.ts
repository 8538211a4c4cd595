/** CSV (RFC 4180) with a header; the columns are the fields of the REST API. */
import { CsvError, parse } from 'csv-parse'
import { INVALID } from '../resource/fields/field-type.ts'
import type { Field, Item, Resource } from '../resource/fields/resource.ts'
import { type FileJson, parseFileJson } from './file-numbers.ts'
import { type ItemLine, type ReadOptions, toItemLine } from './item-line.ts'
import { BadLine, MAX_LINE_BYTES, readLines, shorten, UnreadableLine } from './lines.ts'

interface Row {
  /** null: the field is empty, without quotes. */
  record: (string | null)[]
  /** Where the record ends. */
  line: number
}

/** Reads each record that is not empty, up to an UnreadableLine: also one with an invalid header or a misplaced quote. */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<ItemLine | BadLine> {
  let columns: Field[] | null = null
  for await (const row of readRecords(source)) {
    if (row instanceof UnreadableLine) {
      yield row
      return
    }
    const { record, line } = row
    if (isEmpty(record, columns)) continue
    if (!columns) {
      const header = readHeader(record, line, options)
      if (header instanceof UnreadableLine) {
        yield header
        return
      }
      columns = header
    } else if (record.length === columns.length) yield readItem(record, line, columns, options)
    else
      yield new BadLine(line, `The line has ${record.length} fields, but the header has ${columns.length}.`)
  }
  if (columns) return
  const { resource, keepIds } = options
  const example = keepIds ? resource.fields : resource.newFields
  yield new BadLine(1, `The header is missing. Example: ${example.map(({ name }) => name).join()}`)
}

/** Whether a record is no item: some programs write commas where a table has no more rows. So is a line of blanks, unless they may be a text. */
function isEmpty(record: Row['record'], columns: readonly Field[] | null): boolean {
  if (record.every((field) => field === null)) return true
  return record.length === 1 && columns?.length !== 1 && record[0]?.trim() === ''
}

function readHeader(
  record: Row['record'],
  line: number,
  { resource, keepIds }: ReadOptions,
): Field[] | UnreadableLine {
  const names = record.map((name) => name ?? '')
  const columns = names.flatMap((name) => resource.fields.filter((field) => field.name === name))
  const required = resource.fields.filter((field) =>
    field === resource.id ? keepIds : field.default === undefined,
  )
  const known = Object.keys(resource.columns)
  const unknown = names.find((name) => !known.includes(name))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const missing = required.find((field) => !columns.includes(field))
  const problem =
    (unknown !== undefined && `Unknown column ${shorten(JSON.stringify(unknown))}`) ||
    (twice !== undefined && `The column ${twice} occurs twice`) ||
    (missing !== undefined && `The column ${missing.name} is missing`)
  if (!problem) return columns
  return new UnreadableLine(
    line,
    `${problem}. The columns are ${known.join(', ')}, in any order, separated by commas.`,
  )
}

function readItem(
  record: Row['record'],
  line: number,
  columns: readonly Field[],
  options: ReadOptions,
): ItemLine | BadLine {
  const values = Object.fromEntries(
    columns.map((column, index) => [column.name, readText(column, record[index])]),
  )
  return toItemLine(line, values, options)
}

/**
 * The value of a text as JSON would have it; a text that stands for no such value stays a text, and is rejected later. Some programs write
 * quotes when there is no value: then they are only taken for an empty text where a field may have one.
 */
function readText(field: Field, text: string | null | undefined): FileJson | undefined {
  if (text == null || (text === '' && field.read('') === INVALID)) return undefined
  if (field.isText) return text
  try {
    return parseFileJson(text)
  } catch {
    return text
  }
}

/** The records, up to a line that is unreadable; so is a misplaced quote, since it is unknown where the next record begins. */
async function* readRecords(source: AsyncIterable<Buffer>): AsyncGenerator<Row | UnreadableLine> {
  const { feed, takeRows } = createParser()
  let unreadable: UnreadableLine | undefined
  for await (const lines of readLines(source)) {
    const texts = lines.map((line) => (line instanceof UnreadableLine ? '' : line.text))
    const misplaced = await feed(texts.join(''))
    yield* takeRows()
    if (misplaced) {
      yield misplaced
      return
    }
    unreadable = lines.find((line) => line instanceof UnreadableLine)
    if (unreadable) break
  }
  // The parser keeps the last record until the end, also if the rest of the file is unreadable.
  const atEnd = await feed(null)
  yield* takeRows()
  const last = unreadable ?? atEnd
  if (last) yield last
}

/**
 * @returns `feed`, which parses a text, or null at the end, and returns what it cannot read; `takeRows`, for the rows that were read since the last
 *   call: the parser is no stream of them, since that would drop those before an error
 */
function createParser() {
  const rows: Row[] = []
  /** How many lines belong to a record; all others are empty. The parser's own count of lines takes each CR for the end of one. */
  let linesOfRecords = 0
  const parser = parse({
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_LINE_BYTES,
    cast: (text, { quoting }) => (text === '' && !quoting ? null : text),
    on_record: (record: Row['record'], { empty_lines: emptyLines }) => {
      linesOfRecords += 1
      for (const field of record) if (field?.includes('\n')) linesOfRecords += field.split('\n').length - 1
      rows.push({ record, line: linesOfRecords + emptyLines })
      return null
    },
  })
  // `feed` has them.
  parser.on('error', () => undefined)

  async function feed(text: string | null): Promise<UnreadableLine | null> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      if (text === null) parser.end(resolve)
      else parser.write(text, resolve)
    })
    return error ? toUnreadableLine(error, linesOfRecords + parser.info.empty_lines + 1) : null
  }

  return { feed, takeRows: () => rows.splice(0) }
}

/** What csv-parse finds wrong, by its code; anything else is a misplaced quote. */
const PROBLEMS: Readonly<Partial<Record<string, string>>> = {
  CSV_INVALID_CLOSING_QUOTE: 'A quote ends a field, but text follows it',
  CSV_QUOTE_NOT_CLOSED: 'A quote is not closed',
  CSV_MAX_RECORD_SIZE: 'A quote is not closed within 64 KiB',
}

/** @throws an error that is none of the text */
function toUnreadableLine(error: Error, line: number): UnreadableLine {
  if (!(error instanceof CsvError)) throw error
  const problem = PROBLEMS[error.code] ?? 'A quote is misplaced'
  return new UnreadableLine(
    line,
    `${problem}. Each quote in a field must be doubled, and the field be in quotes.`,
  )
}

export function toCsvHeader(resource: Resource): string {
  return `${Object.keys(resource.columns).join()}\n`
}

/** Writes the line of an item; a value that is not set is an empty field. */
export function createCsvWriter<TItem extends Item>({ fields }: Resource<TItem>): (item: TItem) => string {
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
