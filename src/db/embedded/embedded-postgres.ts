import { on, once } from 'node:events'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { lockDirectory } from './directory-lock.ts'

/** Where the embedded Postgres listens. */
export type EmbeddedAddress = { path: string } | { host: string; port: number }

export interface EmbeddedWorkerData {
  directory: string
  /** null: create the database, then exit. */
  listen: EmbeddedAddress | null
}

/** A Postgres that runs in this process but is reached like any other. */
export interface EmbeddedPostgres {
  /** Settles when it accepts connections, or could not start. */
  address: Promise<EmbeddedAddress>
  /** Settles if it stops by itself. */
  failed: Promise<Error>
  /** Whether the disk is too full for writes: Postgres exits when it cannot extend its log. */
  isDiskFull(): Promise<boolean>
  close(): Promise<void>
}

/** Bytes: two files of the log (WAL), without which Postgres cannot continue. */
const MIN_FREE_SPACE = 2 * 16 * 2 ** 20

/** Milliseconds within which the embedded Postgres must close. */
const CLOSE_TIMEOUT = 1_500

/** Some systems limit Unix socket paths to 104 bytes. */
const MAX_SOCKET_PATH = 100

/**
 * Starts PGlite in a worker thread, listening on a Unix socket (on Windows: on a loopback port).
 * @param directory holds the database, the socket and the lock; created if it is missing
 * @throws DirectoryInUseError if another process has it open
 */
export function startEmbeddedPostgres(directory: string): EmbeddedPostgres {
  const home = resolve(directory)
  const unlock = lockDirectory(home)
  const socket = chooseSocket(home)
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>()
  const starting = startServing(databaseIn(home), socket.path)
  starting.then(
    (worker) => watch(worker, fail),
    () => undefined,
  )
  return {
    address: starting.then(({ address }) => address),
    failed,
    async isDiskFull() {
      const { bavail, bsize } = await statfs(home)
      return bavail * bsize < MIN_FREE_SPACE
    },
    async close() {
      await starting.then(
        (worker) => stopServing(worker),
        () => undefined,
      )
      socket.remove()
      unlock()
    },
  }
}

/** Whether a directory already contains an embedded database. */
export function hasEmbeddedPostgres(directory: string): boolean {
  return existsSync(join(databaseIn(directory), 'PG_VERSION'))
}

function databaseIn(home: string): string {
  return join(home, 'postgres')
}

/** In the data directory, or in a temporary one if that path is too long for a socket. */
function chooseSocket(home: string): { path: string; remove: () => void } {
  const isShort = Buffer.byteLength(join(home, 'socket')) <= MAX_SOCKET_PATH
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

interface ServingWorker {
  worker: Worker
  address: EmbeddedAddress
  /** Settles with its exit code. */
  exited: Promise<number>
  isStopping: boolean
}

async function startServing(directory: string, socket: string): Promise<ServingWorker> {
  if (!existsSync(join(directory, 'PG_VERSION'))) await createDatabase(directory)
  const listen = process.platform === 'win32' ? { host: '127.0.0.1', port: 0 } : { path: socket }
  const worker = startWorker({ directory, listen })
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve))
  return { worker, address: parseAddress(await readConnection(worker)), exited, isStopping: false }
}

/** Waits for the address that the worker sends when it listens. Under `node --watch`, Node sends objects over the same port. */
async function readConnection(worker: Worker): Promise<string> {
  // Throws if the worker fails.
  for await (const [message] of on(worker, 'message', { close: ['exit'] })) {
    if (typeof message === 'string') return message
  }
  throw new Error('the database thread exited before it was listening')
}

/**
 * Creates the database under a temporary name, so that a crash cannot leave half of one, and in a separate thread, so that its
 * memory is freed afterwards.
 */
async function createDatabase(directory: string): Promise<void> {
  const draft = `${directory}.new`
  rmSync(draft, { recursive: true, force: true })
  await once(startWorker({ directory: draft, listen: null }), 'exit')
  renameSync(draft, directory)
}

/** The worker is next to this file, both in the sources and in the bundle. */
function startWorker(workerData: EmbeddedWorkerData): Worker {
  return new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), { workerData })
}

function watch(serving: ServingWorker, fail: (error: Error) => void): void {
  serving.worker.once('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
  void serving.exited.then((code) => {
    if (!serving.isStopping) fail(new Error(`the database thread exited with code ${code}`))
  })
}

async function stopServing(serving: ServingWorker): Promise<void> {
  serving.isStopping = true
  serving.worker.postMessage('close')
  // A statement cannot be cancelled. Ending the thread amid one is like a crash: the next start recovers what was committed.
  const timer = setTimeout(() => void serving.worker.terminate(), CLOSE_TIMEOUT)
  await serving.exited
  clearTimeout(timer)
}

function parseAddress(connection: string): EmbeddedAddress {
  const [, host, port] = /^([\d.]+):(\d+)$/.exec(connection) ?? []
  return host && port ? { host, port: Number(port) } : { path: connection }
}
