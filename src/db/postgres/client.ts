import { isIP, Socket } from 'node:net'
import postgres from 'postgres'
import { usesPooler } from '../../config/database-config.ts'

/** Milliseconds after which Postgres cancels a statement. */
export const STATEMENT_TIMEOUT_MS = 5_000

/** A URL, or the address of an embedded Postgres. */
export type Address = string | { user: string; database: string; path?: string; host?: string; port?: number }

export interface ClientOptions {
  /** Milliseconds; 0 means no limit. */
  statementTimeout?: number
  /** Called for each notification, if the connection listens. */
  onnotify?: (channel: string, payload: string) => void
  /** Called when the connection is closed by either side, or could not be made. */
  onclose?: () => void
}

/** The driver with one connection, made on first use. Once the connection is lost, the client is useless. */
export function createClient(
  address: Address,
  { statementTimeout = STATEMENT_TIMEOUT_MS, onnotify, onclose }: ClientOptions = {},
): postgres.Sql {
  const pooledUrl = pooledUrlOf(address)
  const options = {
    max: 1,
    max_lifetime: null,
    connection: {
      application_name: 'pet-store',
      // A pooler accepts no settings that it cannot keep for each client: connection.ts enforces the time limit instead.
      ...(pooledUrl === null && { statement_timeout: statementTimeout }),
    },
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => undefined,
    ...(onclose && { onclose }),
    // Missing from the driver's types: `socket` is documented ("Custom socket"), `onnotify` is used by its own `listen`.
    socket: createSocketFactory(),
    onnotify,
  }
  // The embedded Postgres never analyzes its tables, so a cached plan would remain the one for an empty table.
  return typeof address === 'string'
    ? postgres(withoutOwnParameters(address), {
        ...options,
        ...tlsOptions(address),
        ...(pooledUrl !== null && { prepare: preparesThroughPooler(pooledUrl) }),
      })
    : postgres({ ...address, ...options, prepare: false })
}

/** The URL of an address behind a pooler, which may run each transaction on a different connection; null for any other address. */
export function pooledUrlOf(address: Address): string | null {
  return typeof address === 'string' && usesPooler(address) ? address : null
}

/** Prepared statements belong to a connection; PgBouncer tracks them since 1.21, if max_prepared_statements is set. */
function preparesThroughPooler(address: string): boolean {
  return new URL(address).searchParams.get('prepare') === 'true'
}

/** The driver lets URL parameters override our options, and sends those that it does not know to Postgres. */
function withoutOwnParameters(address: string): string {
  const url = new URL(address)
  for (const name of ['statement_timeout', 'pooler']) url.searchParams.delete(name)
  return url.href
}

/** If the host is an IP address, the driver passes no server name, and Node would check the certificate for localhost. */
function tlsOptions(address: string): { ssl?: { host: string } } {
  const { hostname, searchParams } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl')
  return mode === 'verify-full' && isIP(host) !== 0 ? { ssl: { host } } : {}
}

/** The postgres.js options that its `socket` factory uses. */
interface SocketTarget {
  path: string | false | null
  host: string[]
  port: number[]
}

/**
 * A `socket` factory for postgres.js that creates only one socket. By default, the driver (3.4.9) reconnects in a busy loop if the
 * peer hangs up during the handshake, as a proxy without a reachable Postgres does (porsager/postgres#1193).
 */
function createSocketFactory(): (target: SocketTarget) => Socket {
  let isMade = false
  return ({ path, host: [host = 'localhost'], port: [port = 5432] }) => {
    if (isMade) throw Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' })
    isMade = true
    const socket = new Socket()
    // Deferred, so that the driver already listens for errors, some of which are emitted at once.
    queueMicrotask(() => (path ? socket.connect(path) : socket.connect(port, host)))
    // tls.connect reads the server name from here.
    return Object.assign(socket, { host })
  }
}
