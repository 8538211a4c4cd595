import postgres from 'postgres'
import { createSocket } from './socket.ts'

/** Milliseconds that one statement may take in Postgres. */
export const STATEMENT_TIMEOUT = 5_000

/** A URL, or where an embedded Postgres is. */
export type Address = string | { user: string; database: string; path?: string; host?: string; port?: number }

export interface ClientOptions {
  /** How many connections at most. */
  max: number
  /** Milliseconds that a statement may take; 0: as long as it takes. */
  statementTimeout?: number
  /** Connections are kept for good; otherwise each is closed after 30 to 60 minutes. */
  lasting?: boolean
  /** Takes what Postgres notifies a listening connection of. */
  onnotify?: (channel: string, payload: string) => void
  /** Is told when a connection has been closed, by whomever, or could not be made. */
  onclose?: () => void
}

/** The driver, made to fail in time and to come back soon; it connects when it is first asked something. */
export function createClient(
  address: Address,
  { max, statementTimeout = STATEMENT_TIMEOUT, lasting = false, onnotify, onclose }: ClientOptions,
): postgres.Sql {
  const options = {
    max,
    connection: { application_name: 'pet-store', statement_timeout: statementTimeout },
    connect_timeout: 5,
    // The default grows to 20 s, and with it the time until service resumes.
    backoff: () => 0.2,
    fetch_types: false,
    onnotice: () => undefined,
    ...(lasting && { max_lifetime: null }),
    ...(onclose && { onclose }),
    // Not in the driver's own types: `socket` is documented ("Custom socket"), `onnotify` is what its `listen` is made of.
    socket: createSocket,
    onnotify,
  }
  // The embedded Postgres never looks at its tables by itself: a plan that is kept would be for the few animals of the start.
  return typeof address === 'string'
    ? postgres(address, options)
    : postgres({ ...address, ...options, prepare: false })
}
