/** NDJSON: one JSON object per line, with the fields of the REST API's Pet. */
import { type Pet } from '../pets/pet.ts'
import { isJsonObject, parseExactJsonText } from '../base/json.ts'
import type { Line } from './lines.ts'
import { FIELDS, INTEGER_FIELDS, isField, type PetLine, type ReadOptions, toPetLine } from './pet-line.ts'

const EXPECTED = 'The line must be a JSON object like {"name":"Rex","categoryId":1,"status":"available"}.'

/** Blank lines are not pets. */
export async function* readNdjson(
  source: AsyncIterable<Line[]>,
  options: ReadOptions,
): AsyncGenerator<PetLine[]> {
  for await (const lines of source) {
    yield lines
      .filter(({ text, problem }) => problem !== undefined || text.trim() !== '')
      .map((line) => readLine(line, options))
  }
}

function readLine({ number, text, problem }: Line, options: ReadOptions): PetLine {
  const value = problem === undefined ? parse(text) : undefined
  if (!isJsonObject(value)) return { line: number, reason: problem ?? EXPECTED }
  const unknown = Object.keys(value).find((name) => !isField(name))
  if (unknown !== undefined) {
    return {
      line: number,
      reason: `Unknown field ${JSON.stringify(unknown)}: the fields are ${FIELDS.join(', ')}.`,
    }
  }
  return toPetLine(number, value, options)
}

function parse(text: string): unknown {
  try {
    // Exact parsing takes four times as long, and matters only for long numbers, fractions and exponents.
    if (/\d{16}|\.|\d[eE]/.test(text)) return parseExactJsonText(text)
    return withBigints(JSON.parse(text))
  } catch {
    return undefined
  }
}

function withBigints(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  for (const field of INTEGER_FIELDS) {
    if (typeof value[field] === 'number') value[field] = BigInt(value[field])
  }
  return value
}

/** The line of a pet, the same as in the REST API: a status that is not set is left out. */
export function toNdjson({ id, name, categoryId, status }: Pet): string {
  const end = status === null ? '' : `,"status":"${status}"`
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${end}}\n`
}
