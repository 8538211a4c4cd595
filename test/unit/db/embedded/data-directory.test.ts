import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { OperatorError } from '../../../../src/base/operator-error.ts'
import { takeDataDirectory } from '../../../../src/db/embedded/data-directory.ts'
import { useDirectory } from '../../../support/directory.ts'

const parent = useDirectory()
/** One that does not exist yet. */
let path: string
beforeEach(() => {
  path = join(mkdtempSync(join(parent, 'test-')), 'a', 'data')
})

function take(directory = path) {
  const taken = takeDataDirectory(directory)
  onTestFinished(() => taken.release())
  return taken
}

it('a directory is created with its parents, for this user only, and has no database', () => {
  expect(take()).toMatchObject({ isNew: true, database: join(path, 'postgres') })
  expect(statSync(path).mode & 0o777).toBe(0o700)
})

it('a directory has a database when that is complete, but not if it is only a directory', () => {
  mkdirSync(join(path, 'postgres.new'), { recursive: true })
  expect(take().isNew).toBe(true)
  const other = `${path}-2`
  mkdirSync(join(other, 'postgres'), { recursive: true })
  const empty = takeDataDirectory(other)
  expect(empty.isNew).toBe(true)
  empty.release()
  writeFileSync(join(other, 'postgres', 'PG_VERSION'), '18')
  expect(take(other).isNew).toBe(false)
})

it('a directory that is taken cannot be taken again until it is released; the error names the holder', () => {
  const first = takeDataDirectory(path)
  expect(() => takeDataDirectory(path)).toThrow(OperatorError)
  expect(() => takeDataDirectory(path)).toThrow(`in use by process ${process.pid}, since `)
  first.release()
  take()
})

it('a directory that could not be taken can be taken when that is mended', () => {
  const socket = join(path, 'socket')
  mkdirSync(socket, { recursive: true })
  expect(() => takeDataDirectory(path)).toThrow('EISDIR')
  rmdirSync(socket)
  take()
})

it('a directory that is released twice stays with the process that has taken it since', () => {
  const first = takeDataDirectory(path)
  first.release()
  // Gets the file descriptor of the first lock.
  take()
  first.release()
  expect(() => takeDataDirectory(path)).toThrow('in use by')
})

it('a socket whose path would be too long is in a temporary directory, which goes when the directory is released', () => {
  expect(take().socket).toBe(join(path, 'socket'))
  const long = takeDataDirectory(join(path, 'x'.repeat(100)))
  expect(long.socket.length).toBeLessThan(100)
  const directory = join(long.socket, '..')
  expect(existsSync(directory)).toBe(true)
  long.release()
  expect(existsSync(directory)).toBe(false)
})

it('a disk with space has no problem; that of a directory which has been moved is named', async () => {
  const directory = take()
  expect(await directory.findDiskProblem()).toBe(null)
  renameSync(path, `${path}-2`)
  expect(await directory.findDiskProblem()).toContain('ENOENT')
})
