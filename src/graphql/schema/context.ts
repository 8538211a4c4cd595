import type { ApiKey } from '../../auth.ts'
import type { Database } from '../../db/database.ts'

/** The context of a request, which every resolver receives; the same for both APIs. */
export interface Context {
  database: Database
  apiKey: ApiKey
  /** Whether the request comes from the demo's own GraphiQL. */
  isDemoGraphiql: boolean
  log: Log
  /** Calls the listener when the connection is closed, or at once if it is already closed. */
  onClose: (listener: () => void) => void
}

/** The part of the request's logger that resolvers use; it adds the request id. */
export interface Log {
  error: (details: object, message: string) => void
  warn: (details: object, message: string) => void
}
