import { expect, it } from 'vitest'
import { chooseFormat } from '../../../src/transfer/files.ts'

it.each([
  ['crates.csv', 'csv'],
  ['CRATES.CSV', 'csv'],
  ['a.b/crates.ndjson', 'ndjson'],
  ['crates.jsonl', 'ndjson'],
  ['-', 'ndjson'],
])('the format of %s is %s', (file, format) => {
  expect(chooseFormat(file, undefined)).toBe(format)
})

it('a requested format takes precedence over the extension', () => {
  expect(chooseFormat('crates.txt', 'csv')).toBe('csv')
  expect(chooseFormat('crates.ndjson', 'csv')).toBe('csv')
})

it.each(['crates', 'crates.json', 'crates.csv.gz', 'crates.xlsx'])(
  '%s is rejected, and the error says what to do',
  (file) => {
    expect(() => chooseFormat(file, undefined)).toThrow(`${file} does not say which format it has: add`)
  },
)
