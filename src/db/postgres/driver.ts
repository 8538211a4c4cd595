/** The driver, postgres.js, as it is used here: its settings, and what stands in for what it cannot do. */
import { isIP, Socket } from 'node:net'
import postgres from 'postgres'
import { isJsonObject } from '../../base/json.ts'
import { usesPooler } from '../../config/database-config.ts'

/** Milliseconds after which Postgres cancels a statement. */
export const STATEMENT_TIMEOUT_MS = 5_000

/** A URL, or the address of an embedded Postgres. */
export type Address = string | { user: string; database: string; path?: string; host?: string; port?: number }

export interface ConnectionOptions {
  /** Whether statements have a time limit, as by default. */
  hasTimeLimit?: boolean | undefined
  /** Called for each notification, if the connection listens. */
  onnotify?: ((channel: string, payload: string) => void) | undefined
}

interface ClientOptions extends ConnectionOptions {
  onclose?: () => void
  /** Receives the socket before it connects. */
  onsocket?: (socket: Socket) => void
}

/** The types that the driver would convert: boolean, bytea, integers, floats, json, jsonb, dates and timestamps (their OIDs). */
const CONVERTED_TYPES = [16, 17, 21, 23, 26, 700, 701, 114, 3802, 1082, 1114, 1184]
/** All values are text, in both directions: see TextRow. */
const asText = {
  to: 25,
  from: CONVERTED_TYPES,
  parse: (text: string) => text,
  serialize: (text: string) => text,
}

/** The driver with one connection, made on first use. Once the connection is lost, the client is useless. */
export function createClient(
  address: Address,
  { hasTimeLimit = true, onnotify, onclose, onsocket }: ClientOptions = {},
): postgres.Sql {
  const pooledUrl = pooledUrlOf(address)
  const options = {
    max: 1,
    max_lifetime: null,
    connection: {
      application_name: 'pet-store',
      // A pooler accepts no settings that it cannot keep for each client: the connection enforces the time limit instead.
      ...(pooledUrl === null && { statement_timeout: hasTimeLimit ? STATEMENT_TIMEOUT_MS : 0 }),
    },
    connect_timeout: 5,
    fetch_types: false,
    types: { asText },
    onnotice: () => undefined,
    ...(onclose && { onclose }),
    // Missing from the driver's types: `socket` is documented ("Custom socket"), `onnotify` is used by its own `listen`.
    socket: createSocketFactory(onsocket),
    onnotify,
  }
  // The embedded Postgres never analyzes its tables, so a cached plan would remain the one for an empty table.
  return typeof address === 'string'
    ? postgres(withoutOwnParameters(address), {
        ...options,
        ...tlsOptions(address),
        // Prepared statements belong to a connection; PgBouncer tracks them since 1.21, if max_prepared_statements is set.
        ...(pooledUrl !== null && { prepare: new URL(pooledUrl).searchParams.get('prepare') === 'true' }),
      })
    : postgres({ ...address, ...options, prepare: false })
}

/** The URL of an address behind a pooler, which may run each transaction on a different connection; null for any other address. */
export function pooledUrlOf(address: Address): string | null {
  return typeof address === 'string' && usesPooler(address) ? address : null
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

/**
 * A `socket` factory for postgres.js that creates only one socket. By default, the driver (3.4.9) reconnects in a busy loop if the
 * peer hangs up during the handshake, as a proxy without a reachable Postgres does (porsager/postgres#1193).
 */
function createSocketFactory(onsocket: (socket: Socket) => void = () => undefined) {
  let isMade = false
  return (target: { path: string | false | null; host: string[]; port: number[] }): Socket => {
    const { path } = target
    const [host = 'localhost'] = target.host
    const [port = 5432] = target.port
    if (isMade) throw Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' })
    isMade = true
    const socket = new Socket()
    onsocket(socket)
    // Deferred, so that the driver already listens for errors, some of which are emitted at once.
    queueMicrotask(() => (path ? socket.connect(path) : socket.connect(port, host)))
    // tls.connect reads the server name from here.
    return Object.assign(socket, { host })
  }
}

/** How long a request to cancel may take, in milliseconds. */
const CANCEL_TIMEOUT_MS = 2_000
/** The code of CancelRequest (PostgreSQL manual, 54.7). */
const CANCEL_REQUEST = 80_877_102

/**
 * Requests that a connection's statement in flight be cancelled; its error shows whether that happened. Unencrypted, as by libpq's
 * PQcancel. The driver's own cancel (postgres.js 3.4.9) ends the process if the request cannot be sent.
 * @param url of the connection
 * @param query of the driver; nothing happens unless it has been sent
 */
export function requestCancel(url: string, query: object): void {
  // What Postgres, or a pooler in its place, gave the connection for this.
  const key: unknown = Reflect.get(query, 'state')
  if (!isJsonObject(key) || typeof key.pid !== 'number' || typeof key.secret !== 'number') return
  const { hostname, port } = new URL(url)
  const message = Buffer.alloc(16)
  ;[16, CANCEL_REQUEST, key.pid, key.secret].forEach((value, index) =>
    message.writeInt32BE(value | 0, index * 4),
  )
  const socket = new Socket()
  socket.on('error', () => socket.destroy())
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy())
  socket.connect(Number(port || 5432), hostname.replace(/^\[|\]$/g, ''), () => socket.write(message))
  // The other side answers by closing the connection. PgBouncer drops the request if we close it first.
  socket.resume()
}
