import { expect, it } from 'vitest'
import { formatOf } from '../../../src/transfer/files.ts'

it.each([
  ['pets.csv', 'csv'],
  ['PETS.CSV', 'csv'],
  ['a.b/pets.ndjson', 'ndjson'],
  ['pets.jsonl', 'ndjson'],
  ['-', 'ndjson'],
  ['pets', null],
  ['pets.json', null],
])('the format of %s is %s', (file, format) => {
  expect(formatOf(file)).toBe(format)
})
