/** Both formats: what is read from a line, what is wrong with it, and that what is written is read again. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { petResource } from '../../../src/pets/pet-resource.ts'
import type { Resource } from '../../../src/resource/resource.ts'
import type { Pet } from '../../../src/pets/table.ts'
import { createCsvWriter, readCsv, toCsvHeader } from '../../../src/transfer/csv.ts'
import { BadLine, type ItemLine } from '../../../src/transfer/lines.ts'
import { createNdjsonWriter, readNdjson } from '../../../src/transfer/ndjson.ts'
import { seed } from '../../support/seed.ts'
import { crate, crateResource, emptyCrate } from '../../support/crates.ts'

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
): Promise<(ItemLine | BadLine)[]> {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  const options = { resource, keepIds }
  const source = Readable.from(chunks)
  const found = format === 'csv' ? readCsv(source, options) : readNdjson(source, options)
  return Array.fromAsync(found)
}

/** The lines as text: `2: Rex, 7, sold`, or the reason. */
function describeLine(found: ItemLine | BadLine): string {
  if (found instanceof BadLine) return `${found.line}: ${found.message}`
  const { name, categoryId, status } = found.item
  return `${found.line}: ${name}, ${categoryId}, ${status ?? 'unset'}`
}

/** The lines as text, up to one that ends the reading. */
async function readUntilBad(lines: AsyncIterable<ItemLine | BadLine>): Promise<string[]> {
  const found: string[] = []
  try {
    for await (const line of lines) found.push(describeLine(line))
  } catch (error) {
    if (!(error instanceof BadLine)) throw error
    found.push(`${error.line}! ${error.message}`)
  }
  return found
}

const INTEGER = `an integer from ${min} to ${max}`
const TEXT = 'a string without U+0000 and without lone surrogates'
const KEPT_IDS = `an integer from ${min} to ${maxKept}, since new ids continue after the greatest one`
const JSON_EXPECTED = 'The line must be a JSON object: the fields are id, name, categoryId, status.'

describe('a line of NDJSON', () => {
  it.each([
    ['{"name":"Rex","categoryId":7,"status":"sold"}', '1: Rex, 7, sold'],
    ['{"categoryId":7,"name":""}\r', '1: , 7, unset'],
    ['{"name":"Rex","categoryId":7,"status":null}', '1: Rex, 7, unset'],
    ['{"id":"ignored","name":"Rex","categoryId":7}', '1: Rex, 7, unset'],
    ['{"name":"Rex","categoryId":1e18}', '1: Rex, 1000000000000000000, unset'],
    ['{"name":"Rex","categoryId":1.0000000000000000001}', `1: categoryId must be ${INTEGER}.`],
    ['{"name":"Rex","categoryId":"7"}', `1: categoryId must be ${INTEGER}.`],
    ['{"name":"Rex"}', `1: categoryId is missing; it must be ${INTEGER}.`],
    ['{"name":"\\ud800","categoryId":7}', `1: name must be ${TEXT}.`],
    [
      '{"name":"Rex","categoryId":7,"tag":"x"}',
      '1: Unknown field "tag": the fields are id, name, categoryId, status.',
    ],
    [
      '{"name":1,"status":2}',
      `1: name must be a string of at most 1000 characters. categoryId is missing; it must be ${INTEGER}. status must be one of available, pending, sold.`,
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
    ['line feeds in quotes', '"a\n\nb",7,\nMax,8,', ['4: a\n\nb, 7, unset', '5: Max, 8, unset']],
    ['line breaks in quotes', '"a\r\nb",7,', [expect.stringContaining(': a\r\nb, 7, unset')]],
    ['no name', ',7,', ['2: name is missing; it must be a string of at most 1000 characters.']],
    ['an empty status in quotes', 'Rex,7,""', ['2: status must be one of available, pending, sold.']],
    ['an integer in letters', 'a,seven,', [`2: categoryId must be ${INTEGER}.`]],
    ['an integer in quotes of JSON', 'a,"""7""",', [`2: categoryId must be ${INTEGER}.`]],
    ['no value at all, as spreadsheets write empty rows', ',,\nRex,7,', ['3: Rex, 7, unset']],
    [
      'too few fields',
      'Rex,7\nMax,8,',
      ['2: The line has 2 fields, but the header has 3.', '3: Max, 8, unset'],
    ],
    ['too many fields', 'Rex,7,sold,', ['2: The line has 4 fields, but the header has 3.']],
    ['blank lines', '\n\nRex,7,\n\n', ['4: Rex, 7, unset']],
    ['a line of spaces', 'Rex,7,\n  \nMax,8,', ['2: Rex, 7, unset', '4: Max, 8, unset']],
    ['carriage returns within fields', 'a\rb,7,', [expect.stringContaining(': a\rb, 7, unset')]],
  ])('CSV is read in chunks of any size, or says what is wrong: %s', async (_, lines, expected) => {
    for (const size of [1, 5, 1_000])
      expect((await read('csv', `${header}\n${lines}`, false, size)).map(describeLine)).toEqual(expected)
  })

  it('a line that is not UTF-8 ends the reading', async () => {
    const bytes = Buffer.from('name,categoryId\nRex,7\nM\xfcller,8\nMax,8\n', 'latin1')
    const found = await readUntilBad(
      readCsv(Readable.from([bytes]), { resource: petResource, keepIds: false }),
    )
    expect(found.at(-1)).toBe('3! The line is not UTF-8.')
  })

  it.each([
    ['a quote within a field', 'Rex,7,\n5" dog,7,\nMax,8,', '3! Invalid Opening Quote'],
    ['text after a closing quote', 'Rex,7,\n"Rex"x,7,\nMax,8,', '3! Invalid Closing Quote'],
    ['a quote that is not closed', 'Rex,7,\n"Max,8,\n', '3! Quote Not Closed'],
    [
      'a quote that is not closed in 64 KiB',
      `Rex,7,\n"Max,8,\n${'Tom,9,\n'.repeat(20_000)}`,
      '3! Max Record Size',
    ],
  ])('what hides where records end, ends the reading: %s', async (_, lines, problem) => {
    const found = await readUntilBad(
      readCsv(Readable.from([Buffer.from(`${header}\n${lines}`)]), { resource: petResource, keepIds: false }),
    )
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
  ])('the text %j is written as %j', (name, text) => {
    const write = createCsvWriter(petResource)
    expect(write({ id: '1', name, categoryId: '7', status: null })).toBe(`1,${text},7,\n`)
  })

  it('columns may be in any order', async () => {
    const found = await read('csv', 'status,"id",categoryId,name\nsold,5,7,Rex\n', true)
    expect(found).toEqual([{ line: 2, item: { id: '5', name: 'Rex', categoryId: '7', status: 'sold' } }])
  })

  it.each([
    ['', false, 'The header is missing. Example: name,categoryId,status'],
    ['name,status\n', false, 'The column categoryId is missing.'],
    ['name,categoryId\n', true, 'The column id is missing.'],
    ['name,categoryId,name\n', false, 'The column name occurs twice.'],
    ['name,categoryId,Status\n', false, 'Unknown column "Status".'],
    ['Rex,7,sold\n', false, 'Unknown column "Rex".'],
    ['sep=,\nname,categoryId\n', false, 'Unknown column "sep=".'],
    ['sep=;\r\nname;categoryId\r\n', false, 'Unknown column "sep=;".'],
    [
      'name;categoryId\n',
      false,
      'Unknown column "name;categoryId". The columns are id, name, categoryId, status, in any order, separated by commas.',
    ],
    ['name\tcategoryId\n', false, 'Unknown column "name\\tcategoryId".'],
    ['"name\n', false, 'Quote Not Closed'],
    ['"name";"categoryId"\n', false, 'Invalid Closing Quote'],
  ])('the header %j is refused (keeping ids: %s)', async (text, keepIds, message) => {
    const refused = read('csv', text, keepIds)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toMatchObject({ line: 1 })
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
        expect(lines.map((line) => ('item' in line ? line.item : line))).toEqual(pets)
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

  it('keeps a name of 1,000 characters, and refuses a longer one', async () => {
    const named = (name: string) => ({ id: '1', name, categoryId: '1', status: null })
    const pets = ['🐕'.repeat(1_000), 'é'.repeat(1_001)].map(named)
    const found = await read(format, head + pets.map(write).join(''), false, 1_000)
    expect(found).toMatchObject([
      { item: { name: pets[0]?.name } },
      new BadLine(format === 'csv' ? 3 : 2, 'name must be a string of at most 1000 characters.'),
    ])
  })
})

describe('items of any resource', () => {
  const items = [crate, emptyCrate]
  const all = items.map((item, index) => ({ line: index + 1, item }))
  const readCrates = (format: 'csv' | 'ndjson', text: string, keepIds = false) =>
    read(format, text, keepIds, 1_000, crateResource)

  it('are the same after NDJSON', async () => {
    const text = items.map(createNdjsonWriter(crateResource)).join('')
    expect(text).toBe(
      '{"id":9007199254740993,"ownerId":-7,"label":"books","size":"small","note":"a, \\"b\\"\\n","unit":"box"}\n' +
        '{"id":2,"ownerId":0,"label":"","unit":"piece"}\n',
    )
    expect(await readCrates('ndjson', text, true)).toEqual(all)
  })

  it('are the same after CSV', async () => {
    const text = items.map(createCsvWriter(crateResource)).join('')
    expect(text).toBe('9007199254740993,-7,books,small,"a, ""b""\n",box\n2,0,"",,,piece\n')
    expect(await readCrates('csv', toCsvHeader(crateResource) + text, true)).toEqual([
      // The note of the first has a line feed.
      { line: 3, item: crate },
      { line: 4, item: emptyCrate },
    ])
  })

  it('may lack fields that have a default or may be null, as older files do', async () => {
    const item = { ...emptyCrate, id: null, ownerId: '7', label: 'a' }
    expect(await readCrates('ndjson', '{"ownerId":7,"label":"a"}\n')).toEqual([{ line: 1, item }])
    expect(await readCrates('csv', 'label,ownerId\na,7\n')).toEqual([{ line: 2, item }])
  })

  it.each([
    [
      '{"ownerId":7,"label":"longer than a label may be"}',
      'label must be a string of at most 20 characters.',
    ],
    ['{"ownerId":7}', 'label is missing; it must be a string of at most 20 characters.'],
    ['7', 'The line must be a JSON object: the fields are id, ownerId, label, size, note, unit.'],
  ])('are refused with a reason: %s', async (line, reason) => {
    expect(await readCrates('ndjson', `${line}\n`)).toEqual([new BadLine(1, reason)])
  })
})
