/** Both formats: what is read from a line, what is wrong with it, and that what is written is read again. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { petResource } from '../../../src/pets/pet-resource.ts'
import type { Resource } from '../../../src/resource/resource.ts'
import type { Pet } from '../../../src/pets/table.ts'
import { createCsvWriter, readCsv, toCsvHeader } from '../../../src/transfer/csv.ts'
import type { ItemLine } from '../../../src/transfer/lines.ts'
import { createNdjsonWriter, readNdjson } from '../../../src/transfer/ndjson.ts'
import { seed } from '../../support/seed.ts'
import { crate, crateResource, emptyCrate } from '../support/crates.ts'

const [min, max] = ['-9223372036854775808', '9223372036854775807']
/** The greatest id that an import keeps. */
const maxKept = '9223371036854775807'

/** @param size of the chunks, in bytes */
async function read(
  format: 'csv' | 'ndjson',
  text: string,
  keepIds = false,
  size = 7,
  resource: Resource = petResource,
): Promise<ItemLine[]> {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  const options = { resource, keepIds }
  const source = Readable.from(chunks)
  const found = format === 'csv' ? readCsv(source, options) : readNdjson(source, options)
  return (await Array.fromAsync(found)).flat()
}

/** The lines as text: `2: Rex, 7, sold`, or the reason. */
function describeLine(found: ItemLine): string {
  if ('reason' in found) return `${found.line}: ${found.reason}`
  const { line, name, categoryId, status } = found.item
  expect(line).toBe(String(found.line))
  return `${line}: ${name}, ${categoryId}, ${status ?? 'unset'}`
}
const INTEGER = `an integer from ${min} to ${max}`
const TEXT = 'a string without U+0000 and without lone surrogates'
const KEPT_IDS = `an integer from ${min} to ${maxKept}, since new ids continue after the greatest one`
const JSON_EXPECTED =
  'The line must be a JSON object like {"name":"Rex","categoryId":1,"status":"available"}.'

describe('a line of NDJSON', () => {
  it.each([
    ['{"name":"Rex","categoryId":7,"status":"sold"}', '1: Rex, 7, sold'],
    ['{"categoryId":7,"name":""}\r', '1: , 7, unset'],
    ['{"name":"Rex","categoryId":7,"status":null}', '1: Rex, 7, unset'],
    ['{"id":"ignored","name":"Rex","categoryId":7}', '1: Rex, 7, unset'],
    ['{"name":"Rex","categoryId":1e18}', '1: Rex, 1000000000000000000, unset'],
    ['{"name":"Rex","categoryId":1.0000000000000000001}', `1: categoryId must be ${INTEGER}.`],
    ['{"name":"Rex"}', `1: categoryId is missing; it must be ${INTEGER}.`],
    ['{"name":"\\ud800","categoryId":7}', `1: name must be ${TEXT}.`],
    [
      '{"name":"Rex","categoryId":7,"tag":"x"}',
      '1: Unknown field "tag": the fields are id, name, categoryId, status.',
    ],
    [
      '{"name":1,"status":2}',
      `1: name must be a string. categoryId is missing; it must be ${INTEGER}. status must be one of available, pending, sold.`,
    ],
    ['{"name":"Rex"', `1: ${JSON_EXPECTED}`],
    ['[1]', `1: ${JSON_EXPECTED}`],
  ])('a line of NDJSON is read, or says what is wrong: %s', async (line, expected) => {
    expect((await read('ndjson', `${line}\n`)).map(describeLine)).toEqual([expected])
  })

  it.each([
    ['9223371036854775807', '1: Rex, 7, unset'],
    ['9223371036854775808', `1: id must be ${KEPT_IDS}.`],
    ['9223372036854775806', `1: id must be ${KEPT_IDS}.`],
    [max, `1: id must be ${KEPT_IDS}.`],
  ])('with the id %s, which is kept: %s', async (id, expected) => {
    const line = `{"id":${id},"name":"Rex","categoryId":7}\n`
    expect((await read('ndjson', line, true)).map(describeLine)).toEqual([expected])
    expect((await read('ndjson', line)).map(describeLine)).toEqual(['1: Rex, 7, unset'])
  })

  it('that is blank is skipped, but counted', async () => {
    const text = '\n  \n{"name":"Rex","categoryId":7}\n'
    expect((await read('ndjson', text)).map(describeLine)).toEqual(['3: Rex, 7, unset'])
  })
})

describe('CSV', () => {
  const header = 'name,categoryId,status'

  it.each([
    ['a plain line', 'Rex,7,sold', ['2: Rex, 7, sold']],
    ['lines that end in CR LF', 'Rex,7,sold\r\nMax,8,\r\n', ['2: Rex, 7, sold', '3: Max, 8, unset']],
    ['spaces, which belong to the field', ' Rex ,7,', ['2:  Rex , 7, unset']],
    ['quotes', '"a ""b"", c",7,"sold"', ['2: a "b", c, 7, sold']],
    ['line breaks in quotes', '"a\r\nb\n\nc",7,\nMax,8,', ['2: a\r\nb\n\nc, 7, unset', '6: Max, 8, unset']],
    ['no name', ',7,', ['2: name is missing; it must be a string.']],
    ['an empty status in quotes', 'Rex,7,""', ['2: status must be one of available, pending, sold.']],
    ['an integer with a space', 'a, 7,', [`2: categoryId must be ${INTEGER}.`]],
    ['quotes alone', '""\nRex,7,', ['2: The line has 1 fields, but the header has 3.', '3: Rex, 7, unset']],
    [
      'too few fields',
      'Rex,7\nMax,8,',
      ['2: The line has 2 fields, but the header has 3.', '3: Max, 8, unset'],
    ],
    ['too many fields', 'Rex,7,sold,', ['2: The line has 4 fields, but the header has 3.']],
    ['blank lines', '\n\nRex,7,\n\n', ['4: Rex, 7, unset']],
    ['a line of spaces', 'Rex,7,\n  \nMax,8,', ['2: Rex, 7, unset', '4: Max, 8, unset']],
    [
      'carriage returns within fields',
      'a\rb,7,\n"c\rd",8,\nMax,8,',
      ['2: a\rb, 7, unset', '3: c\rd, 8, unset', '4: Max, 8, unset'],
    ],
  ])('CSV is read in chunks of any size, or says what is wrong: %s', async (_, lines, expected) => {
    for (const size of [1, 5, 1_000])
      expect((await read('csv', `${header}\n${lines}`, false, size)).map(describeLine)).toEqual(expected)
  })

  it('a value that is not UTF-8 is bad, and leaves the others intact', async () => {
    const bytes = Buffer.from(`\ufeff"name","categoryId"\nRex,7\n"a\nM\xfcller",8\nMax,8\n`, 'latin1')
    const text = Buffer.concat([Buffer.from('\ufeff'), bytes.subarray(1)])
    const found = (
      await Array.fromAsync(readCsv(Readable.from([text]), { resource: petResource, keepIds: false }))
    ).flat()
    expect(found.map(describeLine)).toEqual([
      '2: Rex, 7, unset',
      '3: The line is not UTF-8.',
      '5: Max, 8, unset',
    ])
  })

  const NOT_QUOTED = 'A field that contains a quote must be in quotes, and each quote in it doubled.'
  const NOT_ENDED = 'After a closing quote, there must be a comma or the end of the line.'
  const TOO_LONG = 'It is longer than 1 MiB. Is a closing quote missing?'

  it.each([
    ['a quote within a field', 'Rex,7,\n5" dog,7,\nMax,8,', `line 3: ${NOT_QUOTED}`],
    ['a quote after blank lines', '\n\r\nRex,7,\n\n5" dog,7,\nMax,8,', `line 6: ${NOT_QUOTED}`],
    ['text after a closing quote', '"a\r\nb",7,\n"Rex"x,7,\nMax,8,', `line 4: ${NOT_ENDED}`],
    ['a quote that is not closed', 'Tom,9,\n"Rex,7,\nMax,8,\n"Tom",9,', `line 3: ${NOT_ENDED}`],
    [
      'a quote that is not closed in the whole file',
      '"Rex,7,\nMax,8,',
      'line 2: The closing quote is missing.',
    ],
    [
      'a quote that is not closed within 1 MiB',
      `"Rex,7,\n${'Max,8,\n'.repeat(200_000)}`,
      `line 2: ${TOO_LONG}`,
    ],
    [
      '1 MiB of blank lines after a quote',
      `"Rex${'\n'.repeat(2 ** 20)}",7,\nMax,8,\n`,
      `line 2: ${TOO_LONG}`,
    ],
    ['a line of 1 MiB', `Rex,7,\n${'x'.repeat(2 ** 20)}x,7,\n`, `line 3: ${TOO_LONG}`],
  ])('what hides where records end is refused with its line: %s', async (_, lines, message) => {
    for (const size of [...(lines.length > 1_000 ? [] : [1, 5]), 65_536])
      await expect(read('csv', `${header}\n${lines}`, false, size)).rejects.toThrow(message)
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
  ])('the text %j is written as %j', (name, text) => {
    const write = createCsvWriter(petResource)
    expect(write({ id: '1', name, categoryId: '7', status: null })).toBe(`1,${text},7,\n`)
  })

  it('columns may be in any order', async () => {
    const found = await read('csv', 'status,"id",categoryId,name\nsold,5,7,Rex\n', true)
    expect(found).toEqual([
      { line: 2, item: { line: '2', id: '5', name: 'Rex', categoryId: '7', status: 'sold' } },
    ])
  })

  it.each([
    ['', false, 'line 1: The header is missing. Example: name,categoryId,status'],
    ['name,status\n', false, 'line 1: The column categoryId is missing.'],
    ['name,categoryId\n', true, 'line 1: The column id is missing.'],
    ['name,categoryId,name\n', false, 'line 1: The column name occurs twice.'],
    ['name,categoryId,Status\n', false, 'line 1: Unknown column "Status".'],
    ['Rex,7,sold\n', false, 'line 1: Unknown column "Rex".'],
    ['sep=,\nname,categoryId\n', false, 'line 1: Remove this line, which only Excel understands.'],
    ['sep=;\r\nname;categoryId\r\n', false, 'line 1: Remove this line, which only Excel understands.'],
    ['name;categoryId\n', false, 'line 1: The separator must be a comma, not ";".'],
    ['name\tcategoryId\n', false, 'line 1: The separator must be a comma, not "\\t".'],
    ['"name\n', false, 'line 1: The closing quote is missing'],
    ['"name";"categoryId"\n', false, 'line 1: After a closing quote, there must be a comma'],
  ])('the header %j is refused (keeping ids: %s)', async (text, keepIds, message) => {
    await expect(read('csv', text, keepIds)).rejects.toThrow(message)
  })
})

describe.each(['ndjson', 'csv'] as const)('the format %s', (format) => {
  const write = format === 'csv' ? createCsvWriter(petResource) : createNdjsonWriter(petResource)
  const head = format === 'csv' ? toCsvHeader(petResource) : ''

  it(`keeps every pet, however its bytes are cut (SEED=${seed})`, async () => {
    const unit = fc.constantFrom(
      ...['"', ',', '\n', '\r', '\t', ' ', "'", '\\', '=', ';', '\ufeff', '\u2028', 'a', 'é', '🐕'],
    )
    const int64 = fc
      .oneof(fc.bigInt(), fc.constantFrom(BigInt(min), BigInt(max)))
      .map((id) => String(BigInt.asIntN(64, id)))
    const pet: fc.Arbitrary<Omit<Pet, 'id'>> = fc.record({
      name: fc.string({ unit }),
      categoryId: int64,
      status: fc.constantFrom('sold', null),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(pet), fc.integer({ min: 1, max: 20 }), async (found, size) => {
        const pets = found.map((pet, index): Pet => ({ id: [min, maxKept][index] ?? String(index), ...pet }))
        const lines = await read(format, head + pets.map(write).join(''), true, size)
        expect(lines.map((line) => ('item' in line ? { ...line.item, line: undefined } : line))).toEqual(
          pets.map((pet) => ({ ...pet, line: undefined })),
        )
      }),
      { seed },
    )
  })

  it('needs ids only to keep them', async () => {
    const line =
      format === 'csv' ? 'id,name,categoryId\nx,Rex,7\n' : '{"id":"x","name":"Rex","categoryId":7}\n'
    const number = format === 'csv' ? 2 : 1
    expect((await read(format, line)).map(describeLine)).toEqual([`${number}: Rex, 7, unset`])
    expect((await read(format, line, true)).map(describeLine)).toEqual([`${number}: id must be ${KEPT_IDS}.`])
  })

  it('keeps a name of 64 KiB, and refuses one of more bytes', async () => {
    const named = (name: string) => ({ id: '1', name, categoryId: '1', status: null })
    const pets = ['é'.repeat(32_768), 'é'.repeat(32_769), '€'.repeat(21_846)].map(named)
    const found = await read(format, head + pets.map(write).join(''), false, 1_000)
    const refused = { reason: 'name must be a string of at most 64 KiB in UTF-8.' }
    expect(found).toMatchObject([{ item: { name: pets[0]?.name } }, refused, refused])
  })
})

describe('items of any resource', () => {
  const items = [crate, emptyCrate]
  const all = items.map(({ ...item }, index) => ({
    line: index + 1,
    item: { ...item, line: String(index + 1) },
  }))
  const readCrates = (format: 'csv' | 'ndjson', text: string, keepIds = false) =>
    read(format, text, keepIds, 1_000, crateResource)

  it('are the same after NDJSON', async () => {
    const text = items.map(createNdjsonWriter(crateResource)).join('')
    expect(text).toBe(
      '{"id":9007199254740993,"ownerId":-7,"count":3,"isOpen":true,"size":"small","note":"a, \\"b\\"\\n","weight":2}\n' +
        '{"id":2,"ownerId":0,"count":0,"isOpen":false,"weight":1}\n',
    )
    expect(await readCrates('ndjson', text, true)).toEqual(all)
  })

  it('are the same after CSV', async () => {
    const text = items.map(createCsvWriter(crateResource)).join('')
    expect(text).toBe('9007199254740993,-7,3,true,small,"a, ""b""\n",2\n2,0,0,false,,,1\n')
    expect(await readCrates('csv', toCsvHeader(crateResource) + text, true)).toEqual([
      { line: 2, item: { ...crate, line: '2' } },
      { line: 4, item: { ...emptyCrate, line: '4' } },
    ])
  })

  it('may lack fields that have a default or may be null, as older files do', async () => {
    const item = { ...emptyCrate, id: null, ownerId: '7', count: 2 }
    expect(await readCrates('ndjson', '{"ownerId":7,"count":2}\n')).toEqual([
      { line: 1, item: { ...item, line: '1' } },
    ])
    expect(await readCrates('csv', 'count,ownerId\n2,7\n')).toEqual([
      { line: 2, item: { ...item, line: '2' } },
    ])
  })

  it.each([
    ['{"ownerId":7,"count":-1}', 'count must be an integer of 0 or more.'],
    ['{"ownerId":7}', 'count is missing; it must be an integer from -2147483648 to 2147483647.'],
    ['7', 'The line must be a JSON object like {"ownerId":1,"count":2}.'],
  ])('are refused with a reason: %s', async (line, reason) => {
    expect(await readCrates('ndjson', `${line}\n`)).toEqual([{ line: 1, reason }])
  })
})
