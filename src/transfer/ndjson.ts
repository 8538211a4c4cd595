/** NDJSON: one JSON object per line, with the fields of the REST API. */
import { isJsonObject, parseExactJsonText } from '../base/json.ts'
import { isInt64Field, type Item, type Resource } from '../resource/resource.ts'
import {
  fieldNames,
  isNumeric,
  type ItemLine,
  type Line,
  readLines,
  type ReadOptions,
  toItemLine,
} from './lines.ts'

/** Blank lines are not items. */
export async function* readNdjson(
  source: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<ItemLine[]> {
  for await (const lines of readLines(source)) {
    yield lines
      .filter(({ text, problem }) => problem !== undefined || text.trim() !== '')
      .map((line) => readLine(line, options))
  }
}

function readLine({ number, text, problem }: Line, options: ReadOptions): ItemLine {
  const { resource } = options
  const value = problem === undefined ? parse(text, resource) : undefined
  if (!isJsonObject(value)) {
    return { line: number, reason: problem ?? `The line must be a JSON object like ${resource.example}.` }
  }
  const names = fieldNames(resource)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    return {
      line: number,
      reason: `Unknown field ${JSON.stringify(unknown)}: the fields are ${names.join(', ')}.`,
    }
  }
  return toItemLine(number, value, options)
}

function parse(text: string, resource: Resource): unknown {
  try {
    // Exact parsing takes four times as long, and matters only for long numbers, fractions and exponents.
    if (/\d{16}|\.|\d[eE]/.test(text)) return parseExactJsonText(text)
    return withBigints(JSON.parse(text), resource)
  } catch {
    return undefined
  }
}

function withBigints(value: unknown, { fields }: Resource): unknown {
  if (!isJsonObject(value)) return value
  for (const field of fields) {
    const { [field.name]: number } = value
    if (isNumeric(field) && typeof number === 'number') value[field.name] = BigInt(number)
  }
  return value
}

/** Writes the line of an item, the same as in the REST API: a value that is not set is left out. */
export function createNdjsonWriter<One extends Item>({ fields }: Resource<One>): (item: One) => string {
  const members = fields.map((field) => ({ field, start: `${JSON.stringify(field.name)}:` }))
  return (item) => {
    let text = ''
    for (const { field, start } of members) {
      const value = item[field.name] ?? null
      if (value === null) continue
      text +=
        (text === '' ? start : `,${start}`) + (isInt64Field(field) ? String(value) : JSON.stringify(value))
    }
    return `{${text}}\n`
  }
}
