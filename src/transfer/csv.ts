/** CSV (RFC 4180) with a header; the columns are the fields of the REST API. */
import { CsvError, parse } from 'csv-parse'
import { INVALID } from '../resource/fields/field-type.ts'
import type { Field, Item, Resource } from '../resource/fields/resource.ts'
import { type FileJson, parseFileJson } from './file-numbers.ts'
import { type ItemLine, type ReadOptions, toItemLine } from './item-line.ts'
import { BadLine, MAX_LINE_BYTES, readLines, UnreadableLine } from './lines.ts'

interface Row {
  /** null: the field is empty, without quotes. */
  record: (string | null)[]
  /** Where the record ends. */
  line: number
}

/** Reads each record that is not empty. @throws UnreadableLine for an invalid header or a misplaced quote; as readLines */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<ItemLine | BadLine> {
  let columns: Field[] | null = null
  for await (const { record, line } of readRecords(source)) {
    if (isEmpty(record, columns)) continue
    if (!columns) columns = readHeader(record, line, options)
    else if (record.length === columns.length) yield readItem(record, line, columns, options)
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

function readHeader(record: Row['record'], line: number, { resource, keepIds }: ReadOptions): Field[] {
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
    (unknown !== undefined && `Unknown column ${JSON.stringify(unknown)}`) ||
    (twice !== undefined && `The column ${twice} occurs twice`) ||
    (missing !== undefined && `The column ${missing.name} is missing`)
  if (!problem) return columns
  throw new UnreadableLine(
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

/** @throws UnreadableLine for a misplaced quote, since it is unknown where the next record begins; as readLines */
async function* readRecords(source: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const { feed, takeRows } = createParser()
  const errors: unknown[] = []
  try {
    for await (const lines of readLines(source)) {
      await feed(lines.map(({ text }) => text).join(''))
      yield* takeRows()
    }
  } catch (error) {
    errors.push(error)
  }
  // The parser keeps the last record until the end, also if the rest of the file is unreadable.
  await feed(null).catch((error: unknown) => errors.push(error))
  yield* takeRows()
  if (errors.length > 0) throw errors[0]
}

/**
 * @returns `feed`, which parses a text, or null at the end, and throws UnreadableLine; `takeRows`, for the rows that were read since the last
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
  // `feed` throws them.
  parser.on('error', () => undefined)

  async function feed(text: string | null): Promise<void> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      if (text === null) parser.end(resolve)
      else parser.write(text, resolve)
    })
    if (error) throw toUnreadableLine(error, linesOfRecords + parser.info.empty_lines + 1)
  }

  return { feed, takeRows: () => rows.splice(0) }
}

function toUnreadableLine(error: Error, line: number): Error {
  if (!(error instanceof CsvError)) return error
  const problem = error.message.replace(/ at line \d+/, '')
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
