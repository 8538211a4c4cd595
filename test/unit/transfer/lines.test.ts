import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readLines, UnreadableLine } from '../../../src/transfer/lines.ts'

/** The lines as text, each with its number; a line that ends the reading with its reason. */
async function read(...chunks: (string | Buffer)[]): Promise<string[]> {
  const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  const found: string[] = []
  for await (const lines of readLines(source))
    for (const line of lines)
      found.push(
        line instanceof UnreadableLine
          ? `${line.line}! ${line.message}`
          : `${line.line}: ${line.text.replace(/\n$/, '')}`,
      )
  return found
}

/** Every way to cut the bytes in two. */
const cuts = (bytes: Buffer) =>
  Array.from({ length: bytes.length - 1 }, (_, at) => [bytes.subarray(0, at + 1), bytes.subarray(at + 1)])

it.each([
  ['a line', 'a\n', ['1: a']],
  ['a line without an end', 'a\nb', ['1: a', '2: b']],
  ['blank lines', '\n\na\n', ['1: ', '2: ', '3: a']],
  ['a carriage return, which stays', 'a\r\nb', ['1: a\r', '2: b']],
  ['a byte order mark, which is dropped once', '\ufeffa\n\ufeffb', ['1: a', '2: \ufeffb']],
  ['characters of several bytes', 'Émile\n🐕\n', ['1: Émile', '2: 🐕']],
])('lines are found, however their bytes are cut: %s', async (_, text, expected) => {
  for (const chunks of cuts(Buffer.from(text))) expect(await read(...chunks)).toEqual(expected)
})

it('an empty file has no lines', async () => {
  expect(await read('')).toEqual([])
})

it('a line that is not UTF-8 ends the reading, after those before it', async () => {
  const bytes = Buffer.concat([Buffer.from('é\nb\n'), Buffer.from([0xc3, 10]), Buffer.from('c\n')])
  for (const chunks of cuts(bytes))
    expect(await read(...chunks)).toEqual(['1: é', '2: b', '3! The line is not UTF-8.'])
})

it('a line that is too long ends the reading, after those before it', async () => {
  const part = 'x'.repeat(2 ** 15)
  expect(await read('a\n', part, part, 'x', '\nb\n')).toEqual(['1: a', '2! The line is longer than 64 KiB.'])
})
