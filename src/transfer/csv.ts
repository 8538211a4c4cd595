/** CSV (RFC 4180) with a header; the columns are the fields of the REST API. */
import { pipeline, Readable } from 'node:stream'
import { CsvError, type Info, parse } from 'csv-parse'
import type { Field, Item, Resource } from '../resource/resource.ts'
import {
  BadLine,
  type ItemLine,
  MAX_LINE_BYTES,
  parseFileJson,
  readLines,
  type ReadOptions,
  toItemLine,
} from './lines.ts'

/** A record as the parser returns it. */
interface Row {
  /** null: the field is empty, without quotes. */
  record: (string | null)[]
  /** Where the record ends. */
  info: Info
}

/** @throws BadLine for an invalid header, or if what follows cannot be read */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<ItemLine | BadLine> {
  let columns: Field[] | null = null
  for await (const { record, info } of readRecords(source)) {
    if (!columns) columns = readHeader(record, info.lines, options)
    else if (record.length === columns.length) yield readItem(record, info.lines, columns, options)
    else
      yield new BadLine(
        info.lines,
        `The line has ${record.length} fields, but the header has ${columns.length}.`,
      )
  }
  if (!columns)
    throw new BadLine(
      1,
      `The header is missing. Example: ${options.resource.newFields.map(({ name }) => name).join()}`,
    )
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
  throw new BadLine(
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
function readText(field: Field, text: string | null | undefined): unknown {
  if (text == null || (text === '' && field.read('') === undefined)) return undefined
  if (field.column.dataType === 'string') return text
  try {
    return parseFileJson(text)
  } catch {
    return text
  }
}

/** Blank lines are not records. @throws BadLine after a misplaced quote, since it is unknown where the next record begins */
async function* readRecords(source: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  async function* readTexts() {
    for await (const lines of readLines(source)) yield Array.from(lines, ({ text }) => text).join('')
  }
  /** Where the last record ends. */
  let last = 0
  const parser = parse({
    info: true,
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    relax_column_count: true,
    max_record_size: MAX_LINE_BYTES,
    cast: (text, { quoting }) => (text === '' && !quoting ? null : text),
    on_record: (record, { lines }) => {
      last = lines
      return record
    },
  })
  try {
    // Errors are thrown by the loop.
    pipeline(Readable.from(readTexts()), parser, () => undefined)
    yield* parser as AsyncIterable<Row>
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new BadLine(
      last + 1,
      `${error.message}. Each quote in a field must be doubled, and the field be in quotes.`,
    )
  }
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
