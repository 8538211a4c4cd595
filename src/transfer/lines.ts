/** Splits a stream into numbered lines of text. */
import { isUtf8 } from 'node:buffer'

export interface Line {
  /** From 1. */
  number: number
  /** Without the line feed. */
  text: string
  /** Why the text is missing. */
  problem?: string
}

/** Bytes. The longest name takes 384 KiB, if each of its characters is escaped. */
const MAX_LENGTH = 2 ** 20
const TOO_LONG = 'The line is longer than 1 MiB.'
const NOT_UTF8 = 'The line is not UTF-8.'
const LINE_FEED = 10

/** The lines of each chunk. An invalid line does not affect the others. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let number = 1
  let rest: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(LINE_FEED)
    if (end >= 0) {
      const lines = toLines(rest, length, chunk.subarray(0, end), number)
      yield lines
      number += lines.length
      rest = []
      length = 0
    }
    length += chunk.length - (end + 1)
    // A line that is too long is not kept.
    rest = length > MAX_LENGTH ? [] : [...rest, chunk.subarray(end + 1)]
  }
  if (length > 0) yield toLines(rest, length, Buffer.alloc(0), number)
}

/** @param length of the beginning, which is empty if it was too long */
function toLines(beginning: readonly Buffer[], length: number, chunk: Buffer, number: number): Line[] {
  const lines = decodeLines(Buffer.concat([...beginning, chunk])).map((line, index) => ({
    number: number + index,
    ...line,
  }))
  const [first, ...others] = lines
  if (!first) return lines
  if (length > MAX_LENGTH) return [{ number, text: '', problem: TOO_LONG }, ...others]
  // The byte order mark that some programs write.
  if (number === 1 && first.text.startsWith('\ufeff')) first.text = first.text.slice(1)
  return lines
}

function decodeLines(bytes: Buffer): Pick<Line, 'text' | 'problem'>[] {
  if (isUtf8(bytes))
    return bytes
      .toString()
      .split('\n')
      .map((text) => ({ text }))
  // In UTF-8, no part of a longer character is a line feed, so the lines can be split in any encoding with one byte per character.
  return bytes
    .toString('latin1')
    .split('\n')
    .map((text) => Buffer.from(text, 'latin1'))
    .map((line) => (isUtf8(line) ? { text: line.toString() } : { text: '', problem: NOT_UTF8 }))
}
