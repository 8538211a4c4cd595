/** The data directory of an embedded database: one process at a time, where its files and its socket are, and what is wrong with its disk. */
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { tryLock } from 'fs-native-extensions'
import { OperatorError } from '../../base/operator-error.ts'
import { messageOf } from '../../base/thrown.ts'

export interface DataDirectory {
  /** The directory of the database itself. */
  readonly database: string
  /** Whether that had no database when it was taken; it is made completely before it gets this name (new-database.ts). */
  readonly isNew: boolean
  /** The path of the socket (on Windows: of the named pipe). */
  readonly socket: string
  /** @returns why Postgres, which exits when it cannot extend its log, may be unable to, for the log; null: nothing is known */
  findDiskProblem(): Promise<string | null>
  /** Lets another process take it; once it is released, does nothing. */
  release(): void
}

/** Bytes: two files of the log (WAL), without which Postgres cannot continue. */
const MIN_FREE_BYTES = 2 * 16 * 2 ** 20

/** Some systems limit Unix socket paths to 104 bytes. */
const MAX_SOCKET_PATH_BYTES = 100

/** The locked byte is far beyond the text, so that other processes can read the text on every system. */
const LOCKED_BYTE = 2 ** 30

/** Takes a data directory, which is created if it is missing. @throws OperatorError if another process has taken it */
export function takeDataDirectory(path: string): DataDirectory {
  const home = resolve(path)
  using resources = new DisposableStack()
  resources.defer(lockDirectory(home))
  const socket = chooseSocket(home)
  resources.defer(socket.remove)
  const database = join(home, 'postgres')
  const taken = resources.move()
  return {
    database,
    isNew: !existsSync(join(database, 'PG_VERSION')),
    socket: socket.path,
    async findDiskProblem() {
      try {
        const { bavail, bsize } = await statfs(home)
        return bavail * bsize < MIN_FREE_BYTES ? 'ENOSPC' : null
      } catch (error) {
        // The directory has been moved or deleted, or its disk has gone.
        return messageOf(error)
      }
    },
    release: () => taken.dispose(),
  }
}

/**
 * Takes the exclusive lock on a data directory, and creates the directory (mode 0700) if it is missing. The kernel releases the
 * lock when the process ends, so it is never stale.
 * @returns the function that releases it
 * @throws OperatorError that names the holder
 */
function lockDirectory(directory: string): () => void {
  makeDirectory(directory)
  const path = join(directory, 'lock')
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  if (!tryLock(fd, LOCKED_BYTE, 1)) {
    closeSync(fd)
    throw new OperatorError(
      `The data directory ${directory} is in use by ${readFileSync(path, 'utf8').trim() || 'another process'}.\n` +
        'Stop that process, or set DATA_DIR to another directory. To share a database, set DATABASE_URL to a Postgres.\n' +
        'On the demo, use the keys in that directory: demo-key, and demo-read-key, which is read-only.',
    )
  }
  const length = writeSync(fd, `process ${process.pid}, since ${new Date().toISOString()}\n`, 0)
  ftruncateSync(fd, length)
  return () => closeSync(fd)
}

/** Makes a directory and its parents. Node's option `recursive` need not return where none can be made. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return
  makeDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it.
    if (!existsSync(directory)) throw error
  }
}

/** In the data directory, or in a temporary one if that path is too long for a socket. */
function chooseSocket(home: string): { path: string; remove: () => void } {
  if (process.platform === 'win32')
    return { path: String.raw`\\.\pipe\pet-store-${crypto.randomUUID()}`, remove: () => undefined }
  const isShort = Buffer.byteLength(join(home, 'socket')) <= MAX_SOCKET_PATH_BYTES
  const directory = isShort ? home : mkdtempSync(join(tmpdir(), 'pet-store-'))
  const path = join(directory, 'socket')
  rmSync(path, { force: true })
  return {
    path,
    remove: () => {
      if (!isShort) rmSync(directory, { recursive: true, force: true })
    },
  }
}
