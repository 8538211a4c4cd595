import promises, {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
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
  await expect(writeOutput(file, writeMeanwhile(), { force: true })).rejects.toBeInstanceOf(OperatorError)
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
  await writeOutput(file, text(), { force: true })
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
    await writeOutput(link, text(), { force: true })
    expect([await readlink(link), await readlink(second)]).toEqual(['other/../second', file])
    expect(await readFile(file, 'utf8')).toBe('all of it')
  })

  it('it leads to itself', async () => {
    const link = join(directory, 'loop')
    await symlink('loop', link)
    await expect(writeOutput(link, text(), { force: true })).rejects.toThrow(`Cannot write to ${link}: ELOOP`)
    await expect(writeOutput(link, text(), { force: true })).rejects.toBeInstanceOf(OperatorError)
    expect(await readlink(link)).toBe('loop')
  })
})

describe('without force, an export replaces no file that appears while it runs', () => {
  it.each(['has', 'lacks'])('where the file system %s hard links', async (links) => {
    if (links === 'lacks') forbidLinks()
    const folder = join(directory, links)
    await mkdir(folder)
    const file = join(folder, 'crates.csv')
    async function* writeMeanwhile() {
      yield 'all of it'
      await writeFile(file, 'of another program')
    }
    const writing = writeOutput(file, writeMeanwhile(), { force: false })
    await expect(writing).rejects.toBeInstanceOf(OperatorError)
    await expect(writing).rejects.toThrow(/\.part is complete, but cannot be renamed: .*exist/)
    expect(await readFile(file, 'utf8')).toBe('of another program')
    const draft = `${file}.${process.pid}.part`
    expect(await readFile(draft, 'utf8')).toBe('all of it')

    await writeOutput(join(folder, 'new.csv'), writeMeanwhile(), { force: false })
    expect((await readdir(folder)).sort()).toEqual([
      'crates.csv',
      `crates.csv.${process.pid}.part`,
      'new.csv',
    ])
  })

  /** As exFAT does. */
  function forbidLinks(): void {
    const failing = Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
    vi.spyOn(promises, 'link').mockRejectedValue(failing)
    syncBuiltinESMExports()
    onTestFinished(() => {
      vi.restoreAllMocks()
      syncBuiltinESMExports()
    })
  }
})

it('an export that fails leaves no file', async () => {
  async function* fail() {
    yield 'the beginning'
    await Promise.reject(new Error('lost'))
  }
  const before = await readdir(directory)
  await expect(writeOutput(join(directory, 'lost.csv'), fail(), { force: false })).rejects.toThrow('lost')
  expect(await readdir(directory)).toEqual(before)
})
