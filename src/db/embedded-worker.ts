/** The thread that the embedded Postgres lives in, so that a slow query never blocks the event loop of the server. */
import '../compile-cache.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import type { EmbeddedWorkerData } from './embedded.ts'

if (!parentPort) throw new Error('embedded-worker runs as a worker thread only')
const port = parentPort
const { directory, listen } = workerData as EmbeddedWorkerData

/** The server uses one. More are let in for a look at a server that is idle: they share its session, unnamed statement and all. */
const MAX_CONNECTIONS = 5

const database = await PGlite.create(directory)
const server = new PGLiteSocketServer({ db: database, ...listen, maxConnections: MAX_CONNECTIONS })
await server.start()

port.once('message', () => void stop())
port.postMessage(server.getServerConn())

async function stop(): Promise<void> {
  await server.stop()
  await database.close()
  port.close()
}
