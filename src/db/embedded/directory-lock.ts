import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { tryLock } from 'fs-native-extensions'

/** This or another process already has the directory open. */
export class DirectoryInUseError extends Error {}

/** The locked byte is far beyond the text, so that other processes can read the text on every system. */
const LOCKED_BYTE = 2 ** 30

/**
 * Takes the exclusive lock on a data directory, and creates the directory (mode 0700) if it is missing. The kernel releases the
 * lock when the process ends, so it is never stale.
 * @returns the function that releases it
 * @throws DirectoryInUseError that names the holder
 */
export function lockDirectory(directory: string): () => void {
  createDirectory(directory)
  const path = join(directory, 'lock')
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  if (!tryLock(fd, LOCKED_BYTE, 1)) {
    closeSync(fd)
    throw new DirectoryInUseError(
      `The data directory ${directory} is in use by ${readFileSync(path, 'utf8').trim() || 'another process'}.\n` +
        'Stop that process, or set DATA_DIR to another directory. To share a database, set DATABASE_URL to a Postgres.',
    )
  }
  const length = writeSync(fd, `process ${process.pid}, since ${new Date().toISOString()}\n`, 0)
  ftruncateSync(fd, length)
  return () => closeSync(fd)
}

/** Creates a directory and its parents. Node's own option for that never returns in /proc, where nothing can be created. */
function createDirectory(directory: string): void {
  if (existsSync(directory)) return
  createDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if (!existsSync(directory)) throw error
  }
}
