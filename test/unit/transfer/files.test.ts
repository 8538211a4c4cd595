import { expect, it } from 'vitest'
import { chooseFormat } from '../../../src/transfer/files.ts'

it.each([
  ['pets.csv', 'csv'],
  ['PETS.CSV', 'csv'],
  ['a.b/pets.ndjson', 'ndjson'],
  ['pets.jsonl', 'ndjson'],
  ['-', 'ndjson'],
])('the format of %s is %s', (file, format) => {
  expect(chooseFormat(file, undefined)).toBe(format)
})

it('the format that was asked for counts, whatever the extension', () => {
  expect(chooseFormat('pets.txt', 'csv')).toBe('csv')
  expect(chooseFormat('pets.ndjson', 'csv')).toBe('csv')
})

it.each([
  ['pets', undefined, 'pets does not tell its format: add --format'],
  ['pets.json', undefined, 'pets.json does not tell its format: add --format'],
  ['pets.csv.gz', undefined, 'pets.csv.gz is compressed. Unpack it'],
  ['pets.csv.GZ', 'csv', 'pets.csv.GZ is compressed. Unpack it'],
  ['pets.ndjson.zst', 'ndjson', 'pets.ndjson.zst is compressed. Unpack it'],
  ['pets.xlsx', 'csv', 'pets.xlsx is a spreadsheet. Use CSV'],
] as const)('%s as %s is refused with what to do', (file, format, message) => {
  expect(() => chooseFormat(file, format)).toThrow(message)
})
