import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type Line, readLines } from '../../../src/transfer/lines.ts'

async function read(...chunks: (string | Buffer)[]): Promise<Line[]> {
  const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  return (await Array.fromAsync(readLines(source))).flat()
}

/** Every way to cut the bytes in two. */
const cuts = (bytes: Buffer) =>
  Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)])

describe('lines', () => {
  it.each([
    ['nothing', '', []],
    ['a line', 'a\n', ['a']],
    ['a line without an end', 'a', ['a']],
    ['blank lines', '\n\na\n', ['', '', 'a']],
    ['a carriage return, which stays', 'a\r\nb', ['a\r', 'b']],
    ['a byte order mark, which is dropped once', '\ufeffa\n\ufeffb', ['a', '\ufeffb']],
    ['characters of several bytes', 'Émile\n🐕\n', ['Émile', '🐕']],
  ])('lines are found, however their bytes are cut: %s', async (_, text, expected) => {
    for (const chunks of cuts(Buffer.from(text))) {
      const lines = await read(...chunks)
      expect(lines.map((line) => line.text)).toEqual(expected)
      expect(lines.map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1))
    }
  })

  it('that are not UTF-8 leave the others intact', async () => {
    const bytes = Buffer.concat([Buffer.from('é\n'), Buffer.from([0xc3, 10]), Buffer.from('b\n')])
    for (const chunks of cuts(bytes)) {
      expect(await read(...chunks)).toEqual([
        { number: 1, text: 'é' },
        { number: 2, text: '', problem: 'The line is not UTF-8.' },
        { number: 3, text: 'b' },
      ])
    }
  })

  it('that are too long leave the others intact', async () => {
    const part = 'x'.repeat(2 ** 19)
    const lines = await read('a\n', part, part, part, '\nb\n', 'c')
    expect(lines).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: '', problem: 'The line is longer than 1 MiB.' },
      { number: 3, text: 'b' },
      { number: 4, text: 'c' },
    ])
  })
})
