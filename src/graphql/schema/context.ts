import type { ApiKey } from '../../auth.ts'
import type { Session } from '../../db/session.ts'
import type { ClientConnection } from '../../memory-budget.ts'

/** What every resolver receives: one for each request, the same in both APIs. */
export interface Context {
  session: Session
  connection: ClientConnection
  apiKey: ApiKey
  /** Does the request come from the demo's own GraphiQL? */
  isDemoGraphiql: boolean
  log: Log
}

/** The part of the request's logger that is used here; it knows the request's id. */
export interface Log {
  error: (details: object, message: string) => void
  warn: (details: object, message: string) => void
}
