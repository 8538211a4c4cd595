/** The worker thread of the embedded Postgres, so that a slow query never blocks the server's event loop. */
import '../../runtime.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { watchFailures } from '../../workarounds/pglite.ts'
import { initDataDirectory } from './new-database.ts'
import { refuseOtherPrograms } from './other-programs.ts'
import { CLOSE, LISTENING, type WorkerData } from './worker-messages.ts'

if (!parentPort) throw new Error('this file must be run as a worker thread')
const port = parentPort
const { database: directory, isNew, socket } = workerData as WorkerData

/** PGlite's defaults suit a large server. With these settings, it takes less memory and opens faster. */
const SETTINGS = [
  'shared_buffers=8MB',
  'max_connections=4',
  'wal_buffers=64kB',
  // Otherwise it prefers a smaller index and a sort to the index of a page.
  'enable_incremental_sort=off',
]

/**
 * One socket for statements, one for a command that needs a connection of its own, and those that have not been closed yet. To Postgres, they
 * are all one connection.
 */
const MAX_SOCKETS = 5

const startParams = [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])]
if (isNew) await initDataDirectory(directory, startParams)
const database = await PGlite.create(directory, { startParams })
const execute = watchFailures(database.execProtocolRawStream.bind(database), (error) => {
  // Uncaught, it ends the thread; the process follows (`EmbeddedPostgres.failed`).
  throw error
})
// The server below passes each message of a client to this method.
database.execProtocolRawStream = refuseOtherPrograms(execute)
const server = new PGLiteSocketServer({ db: database, path: socket, maxConnections: MAX_SOCKETS })
await server.start()
port.on('message', (message) => {
  if (message === CLOSE) void close()
})
port.postMessage(LISTENING)

async function close(): Promise<void> {
  await server.stop()
  await database.close()
  port.close()
}
