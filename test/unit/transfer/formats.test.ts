/** Both formats: what is read from a line, what is wrong with it, and that what is written is read again. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCsvWriter, readCsv, toCsvHeader } from '../../../src/transfer/csv.ts'
import type { ItemLine } from '../../../src/transfer/item-line.ts'
import { BadLine, UnreadableLine } from '../../../src/transfer/lines.ts'
import { createNdjsonWriter, readNdjson } from '../../../src/transfer/ndjson.ts'
import { type Crate, crate, crateResource, emptyCrate } from '../../support/crates.ts'
import { seed } from '../../support/seed.ts'

const [min, max] = ['-9223372036854775808', '9223372036854775807']
/** The greatest id that an import keeps. */
const maxKept = '9223371036854775807'

/** @param size of the chunks, in bytes */
async function read(
  format: 'csv' | 'ndjson',
  text: string | Buffer,
  keepIds = false,
  size = 7,
): Promise<(ItemLine | BadLine)[]> {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  const options = { resource: crateResource, keepIds }
  const source = Readable.from(chunks)
  const found = format === 'csv' ? readCsv(source, options) : readNdjson(source, options)
  return Array.fromAsync(found)
}

/** The lines as text: `2: Books, 7, small`, or the reason: `2: …`, or `2! …` if it ends the reading. */
function describeLine(found: ItemLine | BadLine): string {
  if (found instanceof UnreadableLine) return `${found.line}! ${found.message}`
  if (found instanceof BadLine) return `${found.line}: ${found.message}`
  const { label, ownerId, size } = found.item
  return `${found.line}: ${label}, ${ownerId}, ${size ?? 'unset'}`
}

const INTEGER = `an integer from ${min} to ${max}`
const LABEL = 'a string of at most 20 characters'
const SIZE = 'one of small, medium, large'
const TEXT = 'a string without U+0000 and without lone surrogates'
const KEPT_IDS = `an integer from ${min} to ${maxKept}, since new ids continue after the greatest one`
const JSON_EXPECTED = 'The line must be a JSON object: the fields are id, ownerId, label, size, note, unit.'

describe('a line of NDJSON', () => {
  it.each([
    ['{"label":"Books","ownerId":7,"size":"small"}', '1: Books, 7, small'],
    ['{"ownerId":7,"label":""}\r', '1: , 7, unset'],
    ['{"label":"Books","ownerId":7,"size":null}', '1: Books, 7, unset'],
    ['{"id":"ignored","label":"Books","ownerId":7}', '1: Books, 7, unset'],
    [
      '{"label":"Books","ownerId":1.0000000000000000001}',
      `1: ownerId is 1.0000000000000000001; it must be ${INTEGER}.`,
    ],
    [
      '{"label":"Books","ownerId":9223372036854775808}',
      `1: ownerId is 9223372036854775808; it must be ${INTEGER}.`,
    ],
    ['{"label":"Books","ownerId":"7"}', `1: ownerId is "7"; it must be ${INTEGER}.`],
    ['{"label":"Books","ownerId":{"a":[1]}}', `1: ownerId is an object; it must be ${INTEGER}.`],
    ['{"label":"Books"}', `1: ownerId is missing; it must be ${INTEGER}.`],
    ['{"label":"\\ud800","ownerId":7}', `1: label is "\\ud800"; it must be ${TEXT}.`],
    [
      '{"label":"Books","ownerId":7,"tag":"x"}',
      '1: Unknown field "tag": the fields are id, ownerId, label, size, note, unit.',
    ],
    [
      '{"label":1,"size":2}',
      `1: ownerId is missing; it must be ${INTEGER}. label is 1; it must be ${LABEL}. size is 2; it must be ${SIZE}.`,
    ],
    ['{"label":"Books"', `1: ${JSON_EXPECTED}`],
    ['[1]', `1: ${JSON_EXPECTED}`],
    ['7', `1: ${JSON_EXPECTED}`],
    ['1.5', `1: ${JSON_EXPECTED}`],
  ])('a line of NDJSON is read, or says what is wrong: %s', async (line, expected) => {
    expect((await read('ndjson', `${line}\n`)).map(describeLine)).toEqual([expected])
  })

  it.each([
    ['9223371036854775807', '1: Books, 7, unset'],
    ['9223371036854775808', `1: id is 9223371036854775808; it must be ${KEPT_IDS}.`],
    ['9223372036854775806', `1: id is 9223372036854775806; it must be ${KEPT_IDS}.`],
    [max, `1: id is ${max}; it must be ${KEPT_IDS}.`],
  ])('with the id %s, which is kept: %s', async (id, expected) => {
    const line = `{"id":${id},"label":"Books","ownerId":7}\n`
    expect((await read('ndjson', line, true)).map(describeLine)).toEqual([expected])
    expect((await read('ndjson', line)).map(describeLine)).toEqual(['1: Books, 7, unset'])
  })

  it('that is blank is skipped, but counted', async () => {
    const text = '\n  \n{"label":"Books","ownerId":7}\n'
    expect((await read('ndjson', text)).map(describeLine)).toEqual(['3: Books, 7, unset'])
  })
})

describe('CSV', () => {
  const header = 'label,ownerId,size'

  it.each([
    ['a plain line', 'Books,7,small', ['2: Books, 7, small']],
    ['lines that end in CR LF', 'Books,7,small\r\nMaps,8,\r\n', ['2: Books, 7, small', '3: Maps, 8, unset']],
    ['spaces, which belong to the field', ' Books ,7,', ['2:  Books , 7, unset']],
    ['quotes', '"a ""b"", c",7,"small"', ['2: a "b", c, 7, small']],
    ['line feeds in quotes', '"a\n\nb",7,\nMaps,8,', ['4: a\n\nb, 7, unset', '5: Maps, 8, unset']],
    [
      'line breaks in quotes',
      '"a\r\n\r\nb",7,\r\n"c\r\n",8,\r\nMaps,9,',
      ['4: a\r\n\r\nb, 7, unset', '6: c\r\n, 8, unset', '7: Maps, 9, unset'],
    ],
    ['no label', ',7,', [`2: label is missing; it must be ${LABEL}.`]],
    ['an empty size in quotes, as sqlite3 and R write it', 'Books,7,""', ['2: Books, 7, unset']],
    ['an empty integer in quotes', 'Books,"",', [`2: ownerId is missing; it must be ${INTEGER}.`]],
    ['NA, as R writes it', 'Books,7,NA', [`2: size is "NA"; it must be ${SIZE}.`]],
    ['an integer in letters', 'a,seven,', [`2: ownerId is "seven"; it must be ${INTEGER}.`]],
    ['an integer in quotes of JSON', 'a,"""7""",', [`2: ownerId is "7"; it must be ${INTEGER}.`]],
    ['no value at all, as spreadsheets write empty rows', ',,\nBooks,7,', ['3: Books, 7, unset']],
    [
      'nothing but blanks in quotes',
      '" "," "," "',
      [expect.stringContaining('2: ownerId is " "; it must be')],
    ],
    [
      'too few fields',
      'Books,7\nMaps,8,',
      ['2: The line has 2 fields, but the header has 3.', '3: Maps, 8, unset'],
    ],
    ['too many fields', 'Books,7,small,', ['2: The line has 4 fields, but the header has 3.']],
    ['blank lines', '\n\nBooks,7,\n\n', ['4: Books, 7, unset']],
    ['a line of spaces', 'Books,7,\n  \nMaps,8,', ['2: Books, 7, unset', '4: Maps, 8, unset']],
    [
      'carriage returns within fields, which end no line',
      'a\rb,7,\n"c\r\rd",8,\n\nMaps,9,',
      ['2: a\rb, 7, unset', '3: c\r\rd, 8, unset', '5: Maps, 9, unset'],
    ],
    ['a carriage return at the end', 'a,7,small\r', [`2: size is "small\\r"; it must be ${SIZE}.`]],
  ])('CSV is read in chunks of any size, or says what is wrong: %s', async (_, lines, expected) => {
    for (const size of [1, 5, 1_000])
      expect((await read('csv', `${header}\n${lines}`, false, size)).map(describeLine)).toEqual(expected)
  })

  it.each([
    ['a bad one', 'Books,x', [/^2: ownerId is/, /^3! The line is not UTF-8\.$/]],
    ['one with a misplaced quote', '5" dog,7', [/^2! A quote is misplaced/]],
    ['a quote that is not closed', '"Books,7', [/^3! The line is not UTF-8\.$/]],
    ['a carriage return in quotes', '"a\rb",x', [/^2: ownerId is/, /^3! The line is not UTF-8\.$/]],
  ])('a line that is not UTF-8 ends the reading, after those before it: %s', async (_, line, expected) => {
    // The second one is the last, without a line feed.
    for (const end of ['M\xfcller,8\nMaps,8\n', '\xff']) {
      const bytes = Buffer.from(`label,ownerId\n${line}\n${end}`, 'latin1')
      const found = (await read('csv', bytes, false, bytes.length)).map(describeLine)
      expect(found).toEqual(expected.map((pattern): unknown => expect.stringMatching(pattern)))
    }
  })

  it('a line that is too long ends the reading, after those before it', async () => {
    for (const end of ['', '\n']) {
      const bytes = Buffer.from(`label,ownerId\nBooks,x\n${'x'.repeat(70_000)}${end}`)
      const found = (await read('csv', bytes, false, bytes.length)).map(describeLine)
      expect(found).toEqual([expect.stringMatching(/^2: ownerId is/), '3! The line is longer than 64 KiB.'])
    }
  })

  it.each([
    ['a quote within a field', 'Books,7,\n5" dog,7,\nMaps,8,', '3! A quote is misplaced'],
    ['a quote after blank lines', 'Books,7,\n\n\n5" dog,7,', '5! A quote is misplaced'],
    ['a quote after a carriage return in quotes', '"a\rb",7,\n5" dog,7,\n', '3! A quote is misplaced'],
    ['a quote after line breaks in quotes', '"a\r\nb",7,\r\n5" dog,7,\n', '4! A quote is misplaced'],
    [
      'text after a closing quote',
      'Books,7,\n"Books"x,7,\nMaps,8,',
      '3! A quote ends a field, but text follows it',
    ],
    ['a quote that is not closed', 'Books,7,\n"Maps,8,\n', '3! A quote is not closed'],
    [
      'a quote that is not closed in 64 KiB',
      `Books,7,\n"Maps,8,\n${'Pens,9,\n'.repeat(20_000)}`,
      '3! A quote is not closed within 64 KiB',
    ],
  ])('what hides where records end, ends the reading: %s', async (_, lines, problem) => {
    const bytes = Buffer.from(`${header}\n${lines}`)
    const found = (await read('csv', bytes, false, bytes.length)).map(describeLine)
    expect(found.at(-1)).toMatch(new RegExp(`^${problem}.*Each quote in a field must be doubled`))
  })

  it.each([
    ['a\rb', '"a\rb"'],
    ['a\nb', '"a\nb"'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['', '""'],
    [' a', '" a"'],
    ['a\t', '"a\t"'],
    ['a b;c', 'a b;c'],
  ])('the text %j is written as %j', (label, text) => {
    const write = createCsvWriter(crateResource)
    expect(write({ ...emptyCrate, label })).toBe(`2,0,${text},,,piece\n`)
  })

  it('a file without a header is not valid', async () => {
    for (const text of ['', '\n,,\n'])
      expect((await read('csv', text)).map(describeLine)).toEqual([
        '1: The header is missing. Example: ownerId,label,size,note,unit',
      ])
    expect((await read('csv', '', true)).map(describeLine)).toEqual([
      '1: The header is missing. Example: id,ownerId,label,size,note,unit',
    ])
  })

  it('columns may be in any order', async () => {
    const found = await read('csv', 'size,"id",ownerId,label\nsmall,5,7,Books\n', true)
    const item = { ...emptyCrate, id: '5', label: 'Books', ownerId: '7', size: 'small' }
    expect(found).toEqual([{ line: 2, item }])
  })

  it.each([
    ['label,size\n', false, 'The column ownerId is missing.'],
    ['label,ownerId\n', true, 'The column id is missing.'],
    ['label,ownerId,label\n', false, 'The column label occurs twice.'],
    ['label,ownerId,Size\n', false, 'Unknown column "Size".'],
    ['Books,7,small\n', false, 'Unknown column "Books".'],
    ['sep=,\nlabel,ownerId\n', false, 'Unknown column "sep=".'],
    ['sep=;\r\nlabel;ownerId\r\n', false, 'Unknown column "sep=;".'],
    [
      'label;ownerId\n',
      false,
      'Unknown column "label;ownerId". The columns are id, ownerId, label, size, note, unit, in any order, separated by commas.',
    ],
    ['label\townerId\n', false, 'Unknown column "label\\townerId".'],
    ['label,ownerId\rBooks,7\r', false, 'Unknown column "ownerId\\rBooks".'],
    ['"label\n', false, 'A quote is not closed.'],
    ['"label";"ownerId"\n', false, 'A quote ends a field, but text follows it.'],
  ])('the header %j is rejected (keeping ids: %s)', async (text, keepIds, message) => {
    const found = await read('csv', text, keepIds)
    expect(found).toEqual([expect.any(UnreadableLine)])
    expect(found).toMatchObject([{ line: 1, message: expect.stringContaining(message) as string }])
  })
})

it('the lines before a misplaced quote are read, and the bad ones named', async () => {
  const lines = Array.from({ length: 100 }, (_, index) => `Books,${index % 2 ? 7 : 'seven'},`).join('\n')
  const bytes = Buffer.from(`label,ownerId,size\n${lines}\na"b,7,\n`)
  const found = (await read('csv', bytes, false, bytes.length)).map(describeLine)
  expect(found).toHaveLength(101)
  expect(found.at(-1)).toMatch(/^102! /)
})

describe.each(['ndjson', 'csv'] as const)('the format %s', (format) => {
  const isCsv = format === 'csv'
  const write = isCsv ? createCsvWriter(crateResource) : createNdjsonWriter(crateResource)
  const head = isCsv ? toCsvHeader(crateResource) : ''

  it('has a field for each value that is set', () => {
    const [complete, empty] = [crate, emptyCrate].map(write)
    expect(complete).toBe(
      isCsv
        ? '9007199254740993,-7,books,small,"a, ""b""\n",box\n'
        : '{"id":9007199254740993,"ownerId":-7,"label":"books","size":"small","note":"a, \\"b\\"\\n","unit":"box"}\n',
    )
    expect(empty).toBe(isCsv ? '2,0,"",,,piece\n' : '{"id":2,"ownerId":0,"label":"","unit":"piece"}\n')
  })

  it(`keeps every item, however its bytes are cut (SEED=${seed})`, async () => {
    const unit = fc.constantFrom(
      ...['"', ',', '\n', '\r', '\t', ' ', "'", '\\', '=', ';', '\ufeff', '\u2028', 'a', 'é', '🐕'],
    )
    const int64 = fc
      .oneof(fc.bigInt(), fc.constantFrom(BigInt(min), BigInt(max)))
      .map((id) => String(BigInt.asIntN(64, id)))
    const item: fc.Arbitrary<Omit<Crate, 'id'>> = fc.record({
      ownerId: int64,
      label: fc.string({ unit, maxLength: 20 }),
      size: fc.constantFrom('small', 'large', null),
      note: fc.option(fc.string({ unit })),
      unit: fc.string({ unit }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(item), fc.integer({ min: 1, max: 20 }), async (found, size) => {
        const items = found.map((item, index): Crate => ({
          id: [min, maxKept][index] ?? String(index),
          ...item,
        }))
        const lines = await read(format, head + items.map(write).join(''), true, size)
        expect(lines.map((line) => ('item' in line ? line.item : line))).toEqual(items)
      }),
      { seed },
    )
  })

  const write64 = (id: string, ownerId: string) =>
    isCsv
      ? `id,label,ownerId\n${id},Books,${ownerId}\n`
      : `{"id":${id},"label":"Books","ownerId":${ownerId}}\n`

  it.each([
    ...[
      '9.00719925474099E+15',
      '9.00719925474099E+015',
      '1.2345678901234e+14',
      '1e3',
      '1E3',
      '-7e0',
      '9.3E+18',
    ],
    ...['9007199254740992.0', '175928847299116992.000000', '-9007199254740992.0'],
  ])('rejects %s, since a program may have rounded it', async (written) => {
    for (const [name, text] of [
      ['ownerId', write64('1', written)],
      ['id', write64(written, '1')],
    ] as const) {
      const [found] = await read(format, text, true)
      expect(found).toMatchObject({
        message: expect.stringContaining(`${name} is written as ${written}`) as string,
      })
    }
  })

  it.each([
    ['7.0', '7'],
    ['-0', '0'],
    ['9007199254740991.00', '9007199254740991'],
  ])('reads %s as %s', async (written, ownerId) => {
    expect(await read(format, write64('1', written), true)).toMatchObject([{ item: { ownerId } }])
  })

  it('shows the beginning of a long value', async () => {
    const [found] = await read(format, write64('1', `"${'x'.repeat(1_000)}"`))
    expect(found).toMatchObject({
      message: expect.stringContaining(`ownerId is "${'x'.repeat(39)}…; `) as string,
    })
    for (const number of [`1.${'5'.repeat(1_000)}`, `1.${'0'.repeat(1_000)}`, '9'.repeat(1_000)]) {
      const [line] = await read(format, write64('1', number))
      expect(line).toMatchObject({
        message: expect.stringContaining(`${number.slice(0, 40)}…`) as string,
      })
    }
    const name = 'x'.repeat(1_000)
    const [unknown] = await read(format, isCsv ? `${name}\n1\n` : `{"${name}":1}\n`)
    expect(unknown).toMatchObject({
      message: expect.stringContaining(`"${'x'.repeat(39)}…`) as string,
    })
  })

  it('may lack fields that have a default or may be null, as older files do', async () => {
    const [found] = await read(format, isCsv ? 'label,ownerId\na,7\n' : '{"ownerId":7,"label":"a"}\n')
    expect(found).toMatchObject({ item: { ...emptyCrate, id: null, ownerId: '7', label: 'a' } })
  })

  it('needs ids only to keep them', async () => {
    const text = isCsv ? 'id,label,ownerId\nx,Books,7\n' : '{"id":"x","label":"Books","ownerId":7}\n'
    const number = isCsv ? 2 : 1
    expect((await read(format, text)).map(describeLine)).toEqual([`${number}: Books, 7, unset`])
    expect((await read(format, text, true)).map(describeLine)).toEqual([
      `${number}: id is "x"; it must be ${KEPT_IDS}.`,
    ])
  })

  it('keeps a text of as many characters as it may have, and rejects a longer one', async () => {
    const items = ['🐕'.repeat(20), 'é'.repeat(21)].map((label) => ({ ...emptyCrate, label }))
    const found = await read(format, head + items.map(write).join(''), false, 1_000)
    expect(found).toMatchObject([
      { item: { label: items[0]?.label } },
      { line: isCsv ? 3 : 2, message: `label is "${'é'.repeat(21)}"; it must be ${LABEL}.` },
    ])
  })
})
