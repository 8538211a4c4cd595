import postgres from 'postgres'
import { createSocket, type SocketTarget } from './socket.ts'

/** Milliseconds that one statement may take in Postgres. */
const STATEMENT_TIMEOUT = 5_000
/** Milliseconds of silence after which a connection is given up; longer than a caller waits, so never in the middle of an answer. */
const IDLE_TIMEOUT = 20_000

/** A URL, or where an embedded Postgres is. */
export type Address = string | { user: string; database: string; path?: string; host?: string; port?: number }

interface ClientOptions {
  /** How many connections at most. */
  max: number
  /** Milliseconds that a statement may take; 0: as long as it takes. */
  statementTimeout?: number
  /** Milliseconds that a connection may be silent; 0: for ever. */
  idleTimeout?: number
  /** Takes what Postgres notifies a listening connection of. */
  onnotify?: (channel: string, payload: string) => void
  /** Is told when a connection has been closed, by whomever. */
  onclose?: () => void
}

/** The driver, made to fail in time and to come back soon; it connects when it is first asked something. */
export function createClient(
  address: Address,
  { max, onnotify, onclose, ...patience }: ClientOptions,
): postgres.Sql {
  const { statementTimeout = STATEMENT_TIMEOUT, idleTimeout = IDLE_TIMEOUT } = patience
  const options = {
    max,
    connection: { application_name: 'pet-store', statement_timeout: statementTimeout },
    connect_timeout: 5,
    // The default grows to 20 s, and with it the time until service resumes.
    backoff: () => 0.2,
    fetch_types: false,
    onnotice: () => undefined,
    // Whoever wants to know of the end of a connection does not want it to end of old age.
    ...(onclose && { onclose, max_lifetime: null }),
    // Not in the driver's own types: `socket` is documented ("Custom socket"), `onnotify` is what its `listen` is made of.
    onnotify,
    socket: (target: SocketTarget) => createSocket(target, idleTimeout),
  }
  // The embedded Postgres never looks at its tables by itself: a plan that is kept would be for the few animals of the start.
  return typeof address === 'string'
    ? postgres(address, options)
    : postgres({ ...address, ...options, prepare: false })
}
