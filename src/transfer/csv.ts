/** CSV (RFC 4180) with a header; the columns are the fields of the REST API's Pet. */
import type { Pet } from '../pets/pet.ts'
import { isInt64 } from '../base/int64.ts'
import { CsvRecord } from './csv-record.ts'
import type { Line } from './lines.ts'
import {
  type BadLine,
  type Field,
  FIELDS,
  isField,
  type PetLine,
  type ReadOptions,
  toPetLine,
  type Values,
} from './pet-line.ts'
import { TransferError } from './transfer-error.ts'

/** UTF-16 units of a record. */
const MAX_LENGTH = 2 ** 20
const NOT_CLOSED = 'The closing quote is missing, or more than 1 MiB away.'

interface Record {
  /** The number of its first line. */
  line: number
  fields: (string | null)[]
}

/** Only the invalid line is skipped: reading continues with the line after it. @throws TransferError for an invalid header */
export async function* readCsv(
  source: AsyncIterable<Line[]>,
  options: ReadOptions,
): AsyncGenerator<PetLine[]> {
  let columns: Field[] | null = null
  for await (const records of readRecords(source)) {
    const pets: PetLine[] = []
    for (const record of records) {
      if (columns) pets.push('reason' in record ? record : readPet(record, columns, options))
      else columns = readHeader(record, options)
    }
    yield pets
  }
  if (!columns) throw new TransferError('line 1: The header is missing; an example: name,categoryId,status.')
}

function readHeader(record: Record | BadLine, { keepIds }: ReadOptions): Field[] {
  if ('reason' in record) throw new TransferError(`line ${record.line}: ${record.reason}`)
  const names = record.fields.map((field) => field ?? '')
  const columns = names.filter(isField)
  const required: Field[] = ['name', 'categoryId', ...(keepIds ? (['id'] as const) : [])]
  const unknown = names.find((name) => !isField(name))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const missing = required.find((name) => !columns.includes(name))
  const problem =
    (unknown !== undefined && `Unknown column ${JSON.stringify(unknown)}`) ||
    (twice !== undefined && `The column ${twice} is there twice`) ||
    (missing !== undefined && `The column ${missing} is missing`)
  if (!problem) return columns
  throw new TransferError(
    `line ${record.line}: ${problem}. The columns are ${FIELDS.join(', ')}, in any order.`,
  )
}

function readPet({ line, fields }: Record, columns: readonly Field[], options: ReadOptions): PetLine {
  if (fields.length !== columns.length) {
    return { line, reason: `The line has ${fields.length} fields, but the header has ${columns.length}.` }
  }
  const values: Values = {}
  columns.forEach((column, index) => {
    const text = fields[index] ?? undefined
    const isInteger = column === 'id' || column === 'categoryId'
    values[column] = isInteger && text !== undefined && isInt64(text) ? BigInt(text) : text
  })
  return toPetLine(line, values, options)
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

export const CSV_HEADER = `${FIELDS.join()}\n`

/** The line of a pet; a status that is not set is an empty field. */
export function toCsv({ id, name, categoryId, status }: Pet): string {
  return `${id},${quoteIfNeeded(name)},${categoryId},${status ?? ''}\n`
}

/** An empty name is quoted, because without quotes it would be a missing name. Some programs drop spaces at the ends. */
function quoteIfNeeded(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
