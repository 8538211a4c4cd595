/** The worker thread of the embedded Postgres, so that a slow query never blocks the server's event loop. */
import '../../runtime.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { watchFailures } from '../../workarounds/pglite.ts'
import type { EmbeddedWorkerData } from './embedded-postgres.ts'
import { initDataDirectory } from './new-database.ts'
import { refuseOtherPrograms } from './other-programs.ts'

if (!parentPort) throw new Error('this file must be run as a worker thread')
const port = parentPort
const { database: directory, isNew, socket } = workerData as EmbeddedWorkerData

/** PGlite's defaults suit a large server. With these settings, it takes less memory and opens faster. */
const SETTINGS = [
  'shared_buffers=8MB',
  'max_connections=4',
  'wal_buffers=64kB',
  // Otherwise it prefers a smaller index and a sort to the index of a page.
  'enable_incremental_sort=off',
]

/** One for statements, one for a command that needs a connection of its own, and those that have not been closed yet. */
const MAX_CONNECTIONS = 5

const startParams = [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])]
if (isNew) await initDataDirectory(directory, startParams)
const database = await PGlite.create(directory, { startParams })
const execute = watchFailures(database.execProtocolRawStream.bind(database), (error) => {
  // Uncaught, it ends the thread; the process follows (`EmbeddedPostgres.failed`).
  throw error
})
// The server below passes each message of a client to this method.
database.execProtocolRawStream = refuseOtherPrograms(execute)
const server = new PGLiteSocketServer({ db: database, path: socket, maxConnections: MAX_CONNECTIONS })
await server.start()
port.once('message', () => {
  void (async () => {
    await server.stop()
    await database.close()
    port.close()
  })()
})
port.postMessage('listening')
