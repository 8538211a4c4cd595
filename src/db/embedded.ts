import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { lockDirectory } from './directory-lock.ts'

export interface EmbeddedWorkerData {
  directory: string
  listen: { path: string } | { host: string; port: number }
}

/** A Postgres of this process's own, reached like any other. */
export interface EmbeddedPostgres {
  address: { path: string } | { host: string; port: number }
  /** Settles when the Postgres ends without having been asked to. */
  failed: Promise<Error>
  close(): Promise<void>
}

/** Unix socket paths are limited to 104 bytes on some systems. */
const MAX_SOCKET_PATH = 100

/**
 * Starts PGlite on a directory, in a worker thread, behind a Unix socket (on Windows: a loopback port).
 * @param directory holds the database files, the socket and the lock; created when missing
 * @throws DirectoryInUseError when another process has it open
 */
export async function startEmbedded(directory: string): Promise<EmbeddedPostgres> {
  const home = resolve(directory)
  const unlock = lockDirectory(home)
  const socketDirectory =
    Buffer.byteLength(join(home, 'socket')) <= MAX_SOCKET_PATH
      ? home
      : mkdtempSync(join(tmpdir(), 'pet-store-'))
  const path = join(socketDirectory, 'socket')
  const release = () => {
    if (socketDirectory !== home) rmSync(socketDirectory, { recursive: true, force: true })
    unlock()
  }

  rmSync(path, { force: true })
  const workerData: EmbeddedWorkerData = {
    directory: join(home, 'postgres'),
    listen: process.platform === 'win32' ? { host: '127.0.0.1', port: 0 } : { path },
  }
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData })
  let closing = false
  try {
    const [connection] = (await once(worker, 'message')) as [string]
    return {
      address: parseAddress(connection),
      failed: new Promise((resolve) => {
        worker.once('error', (error) => resolve(error instanceof Error ? error : new Error(String(error))))
        worker.once('exit', (code) => {
          if (!closing) resolve(new Error(`the database thread ended with exit code ${code}`))
        })
      }),
      async close() {
        closing = true
        const exit = once(worker, 'exit')
        worker.postMessage('close')
        await exit
        release()
      },
    }
  } catch (error) {
    await worker.terminate()
    release()
    throw error
  }
}

/** Whether a directory holds an embedded database already. */
export function hasEmbedded(directory: string): boolean {
  return existsSync(join(directory, 'postgres', 'PG_VERSION'))
}

function parseAddress(connection: string): EmbeddedPostgres['address'] {
  const [, host, port] = /^([\d.]+):(\d+)$/.exec(connection) ?? []
  return host && port ? { host, port: Number(port) } : { path: connection }
}
