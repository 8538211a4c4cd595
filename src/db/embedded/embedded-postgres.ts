import { on } from 'node:events'
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
import { dirname, extname, join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { tryLock } from 'fs-native-extensions'
import { waitAtMost } from '../../base/time-limit.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { toError } from '../../base/thrown.ts'

export interface EmbeddedWorkerData {
  /** Holds the database. */
  directory: string
  /** Whether it has to be created first. */
  isNew: boolean
  /** The path of the socket. */
  socket: string
}

/** A Postgres that runs in this process but is reached like any other. */
export type EmbeddedPostgres = ReturnType<typeof startEmbeddedPostgres>

/** Bytes: two files of the log (WAL), without which Postgres cannot continue. */
const MIN_FREE_BYTES = 2 * 16 * 2 ** 20

/** Milliseconds within which the embedded Postgres must close. */
const CLOSE_TIMEOUT_MS = 1_500

/** In MB. The worker mostly passes bytes on, but on a large machine, V8 would let its young objects take far more. */
const MAX_YOUNG_GENERATION_MB = 12

/** Some systems limit Unix socket paths to 104 bytes. */
const MAX_SOCKET_PATH_BYTES = 100

/** The locked byte is far beyond the text, so that other processes can read the text on every system. */
const LOCKED_BYTE = 2 ** 30

/**
 * Starts PGlite in a worker thread, listening on a Unix socket (on Windows: on a named pipe).
 * @param dataDirectory has the database, the socket and the lock; created if it is missing
 * @throws OperatorError if another process has it open
 */
export function startEmbeddedPostgres(dataDirectory: string) {
  const home = resolve(dataDirectory)
  const unlock = lockDirectory(home)
  const socket = chooseSocket(home)
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>()
  const directory = join(home, 'postgres')
  const isNew = !existsSync(join(directory, 'PG_VERSION'))
  const workerData: EmbeddedWorkerData = { directory, isNew, socket: socket.path }
  // It is next to this file, both in the sources and in the bundle.
  const worker = new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB },
  })
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve))
  let state: 'starting' | 'serving' | 'stopping' = 'starting'
  const address = waitUntilListening(worker).then(() => {
    if (state === 'starting') state = 'serving'
    worker.once('error', (error) => fail(toError(error)))
    void exited.then((code) => {
      if (state !== 'stopping') fail(new Error(`the database thread exited with code ${code}`))
    })
    return socket.path
  })
  address.catch(() => undefined)

  function cancelStart(): void {
    if (state !== 'starting') return
    state = 'stopping'
    // Safe at any time: a new database gets its name when it is complete.
    void worker.terminate()
  }

  return {
    /** Whether the directory had no database yet. */
    isNew,
    /** The path of its socket, when it accepts connections; rejects if it could not start. */
    address,
    /** Settles if it stops by itself. */
    failed,
    /** Whether the disk is too full: Postgres exits when it cannot extend its log. */
    async isDiskFull() {
      const { bavail, bsize } = await statfs(home)
      return bavail * bsize < MIN_FREE_BYTES
    },
    /** Cancels a start that has not ended yet: `address` rejects. */
    cancelStart,
    async close() {
      cancelStart()
      state = 'stopping'
      worker.postMessage('close')
      await waitAtMost(CLOSE_TIMEOUT_MS, exited)
      // A statement cannot be cancelled. Ending the thread amid one is like a crash: the next start recovers what was committed.
      await worker.terminate()
      socket.remove()
      unlock()
    },
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

/** Waits for what the worker sends when it listens. Under `node --watch`, Node sends objects over the same port. */
async function waitUntilListening(worker: Worker): Promise<void> {
  // Throws if the worker fails.
  for await (const [message] of on(worker, 'message', { close: ['exit'] }))
    if (message === 'listening') return
  throw new Error('the database thread exited before it was listening')
}
