import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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

it('an export keeps the mode of the file that it replaces, and follows no link to a draft', async () => {
  const [file, other] = [join(directory, 'shared.csv'), join(directory, 'unrelated')]
  await writeFile(file, 'earlier')
  await chmod(file, 0o666)
  await writeFile(other, 'unrelated')
  await symlink(other, `${file}.${process.pid}.part`)
  async function* text() {
    yield 'all of it'
  }
  await writeOutput(file, text())
  expect(await readFile(file, 'utf8')).toBe('all of it')
  expect((await stat(file)).mode & 0o777).toBe(0o666)
  expect(await readFile(other, 'utf8')).toBe('unrelated')
})

describe('a symbolic link stays:', () => {
  async function* text() {
    yield 'all of it'
  }
  /** Links in a folder, to a file in another one. */
  async function createLinks(name: string) {
    const [folder, other] = [join(directory, name), join(directory, name, 'other')]
    await mkdir(other, { recursive: true })
    const [link, second, file] = [join(folder, 'link'), join(folder, 'second'), join(other, 'file')]
    await symlink('other/../second', link)
    await symlink(file, second)
    return { link, second, file }
  }

  it.each(['exists', 'does not exist yet'])('what it leads to %s', async (state) => {
    const { link, second, file } = await createLinks(state)
    if (state === 'exists') await writeFile(file, 'earlier')
    await writeOutput(link, text())
    expect([await readlink(link), await readlink(second)]).toEqual(['other/../second', file])
    expect(await readFile(file, 'utf8')).toBe('all of it')
  })

  it('it leads to itself', async () => {
    const link = join(directory, 'loop')
    await symlink('loop', link)
    await expect(writeOutput(link, text())).rejects.toThrow(`Cannot write to ${link}: ELOOP`)
    await expect(writeOutput(link, text())).rejects.toBeInstanceOf(OperatorError)
    expect(await readlink(link)).toBe('loop')
  })
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
