import type { ApiKey } from '../../auth.ts'
import type { Database } from '../../db/database.ts'

/** What every resolver receives: one for each request, the same in both APIs. */
export interface Context {
  database: Database
  apiKey: ApiKey
  /** Does the request come from the demo's own GraphiQL? */
  isDemoGraphiql: boolean
  log: Log
  /** Calls the listener when the connection is closed; at once, if it is closed already. */
  onClose: (listener: () => void) => void
}

/** The part of the request's logger that is used here; it knows the request's id. */
export interface Log {
  error: (details: object, message: string) => void
  warn: (details: object, message: string) => void
}
