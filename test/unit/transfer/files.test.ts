import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OperatorError } from '../../../src/base/operator-error.ts'
import { chooseFormat, writeOutput } from '../../../src/transfer/files.ts'
import { useDirectory } from '../../support/directory.ts'

const directory = useDirectory()

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

it('an export that is complete is kept if it cannot get its name', async () => {
  const file = join(directory, 'crates.csv')
  async function* writeMeanwhile() {
    yield 'all of it'
    await mkdir(file)
  }
  await expect(writeOutput(file, writeMeanwhile())).rejects.toBeInstanceOf(OperatorError)
  const [draft = ''] = (await readdir(directory)).filter((name) => name.endsWith('.part'))
  expect(await readFile(join(directory, draft), 'utf8')).toBe('all of it')
})

it('an export that fails leaves no file', async () => {
  async function* fail() {
    yield 'the beginning'
    await Promise.reject(new Error('lost'))
  }
  const before = await readdir(directory)
  await expect(writeOutput(join(directory, 'lost.csv'), fail())).rejects.toThrow('lost')
  expect(await readdir(directory)).toEqual(before)
})
