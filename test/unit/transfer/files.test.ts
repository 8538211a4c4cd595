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

it.each(['pets', 'pets.json', 'pets.csv.gz', 'pets.xlsx'])('%s is refused with what to do', (file) => {
  expect(() => chooseFormat(file, undefined)).toThrow(
    `${file} does not tell its format. If it is NDJSON or CSV, add`,
  )
})
