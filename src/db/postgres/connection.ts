import { isIP, Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { isJsonObject } from '../../base/json.ts'
import { usesPooler } from '../../config/database-config.ts'
import { toDatabaseError } from './errors.ts'
import { fixedStatement, type Statement, type TextRow } from './statement.ts'

/** Milliseconds after which Postgres cancels a statement. */
const STATEMENT_TIMEOUT_MS = 5_000
/** Milliseconds of silence after which a connection counts as dead: a live Postgres would have cancelled the statement by then. */
const SILENCE_LIMIT_MS = STATEMENT_TIMEOUT_MS + 2_000
/** Behind a pooler: milliseconds between requests to cancel a statement, and how many there are before the connection is closed. */
const CANCEL_INTERVAL_MS = 400
const CANCEL_ATTEMPTS = (SILENCE_LIMIT_MS - STATEMENT_TIMEOUT_MS) / CANCEL_INTERVAL_MS

/** Milliseconds of silence after which the socket of a closed connection is closed, too. */
const LINGER_MS = 1_000

/** A URL, or the address of an embedded Postgres. */
export type Address = string | { user: string; database: string; path?: string; host?: string; port?: number }

export interface ConnectionOptions {
  /** Whether statements have a time limit, as by default. */
  hasTimeLimit?: boolean | undefined
  /** Called for each notification, if the connection listens. */
  onnotify?: ((channel: string, payload: string) => void) | undefined
}

/**
 * A connection that runs one statement at a time, and is not used again after it was lost or a statement failed on it.
 *
 * After a failure, a client of the driver (postgres.js 3.4.9) may never send again, because unwritten bytes remain
 * (porsager/postgres#1130), may report the old connection's error to the next statement, or may begin the next result with holes
 * (#1119). It also waits forever for a peer that has vanished (#1089).
 */
export class Connection {
  readonly #client: postgres.Sql
  readonly #hasTimeLimit: boolean
  /** Set if Postgres does not know the time limit, because a pooler is in between. */
  readonly #pooledUrl: string | null
  readonly #onClosed: () => void
  #socket: Socket | undefined
  #timer: NodeJS.Timeout | undefined
  #isCancelled = false
  #isDestroyed = false

  /** @param onClosed called when the connection is closed by either side, or could not be made */
  constructor(
    address: Address,
    onClosed: () => void,
    { hasTimeLimit = true, onnotify }: ConnectionOptions = {},
  ) {
    this.#hasTimeLimit = hasTimeLimit
    this.#pooledUrl = pooledUrlOf(address)
    this.#client = createClient(address, {
      ...{ hasTimeLimit, onnotify },
      onclose: () => this.destroy(),
      onsocket: (socket) => (this.#socket = socket),
    })
    this.#onClosed = onClosed
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  /** @throws what the driver throws */
  async run({ text, parameters, prepare }: Statement): Promise<TextRow[]> {
    try {
      const query = this.#client.unsafe<Record<string, string | null>[]>(text, [...parameters], { prepare })
      // The driver would keep the stack trace of each failed query forever.
      void Object.defineProperty(query, 'origin', { value: '' })
      if (this.#hasTimeLimit) this.#startTimer(query)
      return await query.values()
    } catch (error) {
      this.destroy()
      throw error
    } finally {
      clearTimeout(this.#timer)
      // The request to cancel may arrive late, and could cancel the next statement.
      if (this.#isCancelled) this.destroy()
    }
  }

  /** One timer for each statement; further ones only after a request to cancel. */
  #startTimer(query: object): void {
    const url = this.#pooledUrl
    if (url === null) this.#timer = setTimeout(() => this.destroy(), SILENCE_LIMIT_MS)
    else this.#timer = setTimeout(() => this.#cancel(url, query, CANCEL_ATTEMPTS), STATEMENT_TIMEOUT_MS)
  }

  /** Repeated, since a statement that is still waiting for a connection in the pooler is not cancelled. */
  #cancel(url: string, query: object, attempts: number): void {
    if (attempts === 0) return this.destroy()
    this.#isCancelled = true
    requestCancel(url, query)
    this.#timer = setTimeout(() => this.#cancel(url, query, attempts - 1), CANCEL_INTERVAL_MS)
  }

  /** Closes the connection at once; a statement in flight fails. */
  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#onClosed()
    void this.#client.end({ timeout: 0 })
    // The driver only ends its side, so with a peer that is silent the socket would stay open, and keep the process alive.
    const socket = this.#socket?.unref()
    socket?.setTimeout(LINGER_MS, () => socket.destroy())
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    await this.#client.end({ timeout: 1 })
  }
}

const begin = fixedStatement('begin', sql`begin`)
const commit = fixedStatement('commit', sql`commit`)

/**
 * A connection for one caller, which may hold a transaction: a migration, an import, an export, a distribution. Its statements have no
 * time limit.
 */
export class SessionConnection {
  readonly #connection: Connection
  /** Rejects the statement in flight. */
  #reject: (error: Error) => void = () => undefined

  /** @param onClosed called when it was closed or lost */
  constructor(address: Address, onClosed: () => void = () => undefined) {
    const onLost = () => {
      onClosed()
      const error = Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
      // Deferred, so that what Postgres said about a failed statement comes first.
      setImmediate(() => this.#reject(error))
    }
    this.#connection = new Connection(address, onLost, { hasTimeLimit: false })
  }

  /** Runs one statement at a time. After an error, the connection is closed. @throws what the driver throws */
  run(statement: Statement): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      // The driver may never answer a statement that was sent while the connection broke.
      this.#reject = reject
      this.#connection.run(statement).then(resolve, reject)
    })
  }

  /** The same. @throws as Database.query, but never OVERLOADED */
  async query(statement: Statement): Promise<TextRow[]> {
    try {
      return await this.run(statement)
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  /** Runs statements as one transaction. After an error the connection is closed, which rolls it back. */
  async transaction(run: () => Promise<void>): Promise<void> {
    try {
      await this.query(begin)
      await run()
      await this.query(commit)
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  /** Closes the connection at once, which rolls a transaction back; a statement in flight fails. */
  destroy(): void {
    this.#connection.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
  }
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
function pooledUrlOf(address: Address): string | null {
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
function requestCancel(url: string, query: object): void {
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
