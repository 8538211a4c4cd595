/** NDJSON: one JSON object per line, with the fields of the REST API. */
import type { Item, Resource } from '../resource/fields/resource.ts'
import { type FileJson, isFileObject, parseFileJson } from './file-numbers.ts'
import { type ItemLine, type ReadOptions, toItemLine } from './item-line.ts'
import { BadLine, type Line, readLines, shorten, UnreadableLine } from './lines.ts'

/** Reads each line that is not blank, up to an UnreadableLine. */
export async function* readNdjson(
  source: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<ItemLine | BadLine> {
  for await (const lines of readLines(source))
    for (const line of lines) {
      if (line instanceof UnreadableLine) yield line
      else if (line.text.trim() !== '') yield readLine(line, options)
    }
}

function readLine({ line, text }: Line, options: ReadOptions): ItemLine | BadLine {
  const names = Object.keys(options.resource.columns)
  const value = parse(text)
  if (!isFileObject(value))
    return new BadLine(line, `The line must be a JSON object: the fields are ${names.join(', ')}.`)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown === undefined) return toItemLine(line, value, options)
  return new BadLine(
    line,
    `Unknown field ${shorten(JSON.stringify(unknown))}: the fields are ${names.join(', ')}.`,
  )
}

/** @returns undefined if it is not JSON */
function parse(json: string): FileJson | undefined {
  try {
    return parseFileJson(json)
  } catch {
    return undefined
  }
}

/** Writes the line of an item, the same as in the REST API: a value that is not set is left out. */
export function createNdjsonWriter<TItem extends Item>({ fields }: Resource<TItem>): (item: TItem) => string {
  return (item) => {
    const members = fields
      .filter(({ name }) => (item[name] ?? null) !== null)
      .map((field) => {
        const value = item[field.name]
        return `${JSON.stringify(field.name)}:${field.isText ? JSON.stringify(value) : String(value)}`
      })
    return `{${members.join()}}\n`
  }
}
