import postgres from 'postgres'
import { createSocketFactory } from './socket.ts'

/** Milliseconds that one statement may take in Postgres. */
export const STATEMENT_TIMEOUT = 5_000

/** A URL, or where an embedded Postgres is. */
export type Address = string | { user: string; database: string; path?: string; host?: string; port?: number }

export interface ClientOptions {
  /** Milliseconds that a statement may take; 0: as long as it takes. */
  statementTimeout?: number
  /** Takes what Postgres notifies a listening connection of. */
  onnotify?: (channel: string, payload: string) => void
  /** Is told when the connection has been closed, by whomever, or could not be made. */
  onclose?: () => void
}

/** The driver with one connection, which it makes when it is first asked something; once that is lost, the client is of no use. */
export function createClient(
  address: Address,
  { statementTimeout = STATEMENT_TIMEOUT, onnotify, onclose }: ClientOptions = {},
): postgres.Sql {
  const options = {
    max: 1,
    max_lifetime: null,
    connection: { application_name: 'pet-store', statement_timeout: statementTimeout },
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => undefined,
    ...(onclose && { onclose }),
    // Not in the driver's own types: `socket` is documented ("Custom socket"), `onnotify` is what its `listen` is made of.
    socket: createSocketFactory(),
    onnotify,
  }
  // The embedded Postgres never looks at its tables by itself: a plan that is kept would be for the few animals of the start.
  return typeof address === 'string'
    ? postgres(address, options)
    : postgres({ ...address, ...options, prepare: false })
}
