import { on } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { toError } from '../../base/thrown.ts'
import { waitAtMost } from '../../base/time-limit.ts'
import { toOpeningError } from '../opening-error.ts'
import { type DataDirectory, takeDataDirectory } from './data-directory.ts'
import { CLOSE, LISTENING, type WorkerData } from './worker-messages.ts'

/** A Postgres that runs in this process but is reached like any other. */
export interface EmbeddedPostgres extends Pick<DataDirectory, 'isNew' | 'findDiskProblem'> {
  /** The path of its socket, when it accepts connections; rejects if it could not start. */
  readonly address: Promise<string>
  /** Settles if it stops by itself after that. */
  readonly failed: Promise<Error>
  /** Cancels a start that has not ended yet: `address` rejects. */
  cancelStart(): void
  /** Stops it, and lets another process take its directory. */
  close(): Promise<void>
}

/** Milliseconds within which the embedded Postgres must close. */
const CLOSE_TIMEOUT_MS = 1_500

/** In MB. The worker mostly passes bytes on, but on a large machine, V8 would let its young objects take far more. */
const MAX_YOUNG_GENERATION_MB = 12

/**
 * Starts PGlite in a worker thread, listening on a Unix socket (on Windows: on a named pipe).
 * @param dataDirectory has the database, the socket and the lock; created if it is missing
 * @throws OperatorError if another process has it open; OpeningError if it cannot be used
 */
export function startEmbeddedPostgres(dataDirectory: string): EmbeddedPostgres {
  const directory = openDirectory(dataDirectory)
  const worker = startWorker(directory)
  let state: 'starting' | 'serving' | 'stopping' = 'starting'
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve))
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>()
  const address = waitUntilListening(worker).then(() => {
    if (state === 'starting') state = 'serving'
    const onEnd = (error: Error) => {
      if (state !== 'stopping') fail(error)
    }
    worker.once('error', (error) => onEnd(toError(error)))
    void exited.then((code) => onEnd(new Error(`the database thread exited with code ${code}`)))
    return directory.socket
  })
  // It is also awaited where the database is opened, perhaps later.
  address.catch(() => undefined)

  /** Ends the thread, maybe amid a statement, since none can be cancelled: as after a crash, the next start recovers what was committed. */
  const terminate = () => worker.terminate()

  function cancelStart(): void {
    if (state !== 'starting') return
    state = 'stopping'
    // A new database gets its name when it is complete.
    void terminate()
  }

  async function close(): Promise<void> {
    cancelStart()
    state = 'stopping'
    worker.postMessage(CLOSE)
    await waitAtMost(CLOSE_TIMEOUT_MS, exited)
    await terminate()
    directory.release()
  }

  const { isNew } = directory
  return { isNew, address, failed, findDiskProblem: () => directory.findDiskProblem(), cancelStart, close }
}

function openDirectory(path: string): DataDirectory {
  try {
    return takeDataDirectory(path)
  } catch (error) {
    throw toOpeningError('DATA_DIR', error)
  }
}

function startWorker({ database, isNew, socket }: DataDirectory): Worker {
  const workerData: WorkerData = { database, isNew, socket }
  // It is next to this file, both in the sources and in the bundle.
  return new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB },
  })
}

/** Waits for what the worker sends when it listens. Under `node --watch`, Node sends objects over the same port. */
async function waitUntilListening(worker: Worker): Promise<void> {
  // Throws if the worker fails.
  for await (const [message] of on(worker, 'message', { close: ['exit'] })) if (message === LISTENING) return
  throw new Error('the database thread exited before it was listening')
}
