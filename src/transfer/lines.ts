/** The lines of a file, whatever its format. */
import { isUtf8 } from 'node:buffer'

/** The longest line, in bytes, which bounds the memory of an import. */
export const MAX_LINE_BYTES = 2 ** 16
const TOO_LONG = 'The line is longer than 64 KiB.'

/** A line as text, with its line feed. */
export interface Line {
  /** From 1. */
  line: number
  text: string
}

/** A line that is not an item. */
export class BadLine extends Error {
  /** From 1. */
  readonly line: number

  constructor(line: number, reason: string) {
    super(reason)
    this.line = line
  }
}

/** A bad line after which nothing can be read: the last one of a file that is yielded. */
export class UnreadableLine extends BadLine {}

/** The maximum number of characters that a message shows of what a file has. */
const MAX_SHOWN = 40

/** What a message shows of a text in a file. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** The lines of a file, those of a chunk together, since waiting for each line would take long. A line that is too long or not UTF-8 is the last. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<(Line | UnreadableLine)[]> {
  let line = 1
  let remaining = Buffer.alloc(0)
  for await (const chunk of source) {
    remaining = Buffer.concat([remaining, chunk])
    const lines: (Line | UnreadableLine)[] = []
    // In UTF-8, no other character contains the byte of a line feed.
    for (let end; (end = remaining.indexOf('\n') + 1) > 0; remaining = remaining.subarray(end)) {
      const found = decodeLine(remaining.subarray(0, end), line++)
      lines.push(found)
      if (found instanceof UnreadableLine) {
        yield lines
        return
      }
    }
    if (remaining.length > MAX_LINE_BYTES) {
      yield [...lines, new UnreadableLine(line, TOO_LONG)]
      return
    }
    yield lines
  }
  if (remaining.length > 0) yield [decodeLine(remaining, line)]
}

function decodeLine(bytes: Buffer, line: number): Line | UnreadableLine {
  if (bytes.length > MAX_LINE_BYTES) return new UnreadableLine(line, TOO_LONG)
  if (!isUtf8(bytes)) return new UnreadableLine(line, 'The line is not UTF-8.')
  const text = bytes.toString()
  // Some programs begin a file with a byte order mark.
  return { line, text: line === 1 ? text.replace(/^\ufeff/, '') : text }
}
