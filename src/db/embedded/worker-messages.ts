/** What the embedded Postgres (embedded-postgres.ts) and its thread (worker.ts) tell each other. */
import type { DataDirectory } from './data-directory.ts'

/** What the thread gets when it is started. */
export type WorkerData = Pick<DataDirectory, 'database' | 'isNew' | 'socket'>

/** From the thread: it accepts connections. */
export const LISTENING = 'listening'

/** To the thread: it closes the database, and ends. */
export const CLOSE = 'close'
