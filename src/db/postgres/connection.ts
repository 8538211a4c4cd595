/** From postgres.js to a connection that statements can use: the driver, a client of it for one host, and the connection that chooses one. */
import { Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import postgres, { type Sql } from 'postgres'
import { afterReads } from '../../base/after-reads.ts'
import { toError } from '../../base/thrown.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import {
  findFatalError,
  ignoreTargetSessionAttrs,
  keepNoStackTrace,
  requestCancel,
  sendAtOnce,
  takeRows,
} from '../../workarounds/postgres.ts'
import { createDb } from './drizzle.ts'
import { Hosts } from './hosts.ts'
import { connectionError, FatalError, toDatabaseError } from './postgres-errors.ts'
import { recoveryStatement, settingsStatement } from './settings.ts'
import { connectSocket } from './socket.ts'
import { fixedStatement, type Statement, type StatementWatch, type TextRow } from './statement.ts'
import { CANCEL_INTERVAL_MS, SILENCE_LIMIT_MS, STATEMENT_LIMIT_MS } from './time-limits.ts'

interface DriverOptions {
  /** Connects the socket of its one connection. */
  socket: () => Promise<Socket>
  /** Milliseconds after which Postgres cancels a statement; 0: never. */
  statementTimeout: number
  /** Called for each notification, if the connection listens. */
  onnotify?: ((channel: string, payload: string) => void) | undefined
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

/**
 * The driver with one connection, made on first use. Every option is set: the driver reads those that are not from the environment
 * (PGPASSWORD, PGSSL …).
 */
export function createDriver(
  address: PostgresAddress,
  { socket, statementTimeout, onnotify }: DriverOptions,
): Sql {
  const { user, password, database, isPooled, prepares, options } = address
  ignoreTargetSessionAttrs()
  const parameters: Record<string, string> = { application_name: 'pet-store' }
  // A text, since the driver leaves out 0. A pooler accepts no settings that it cannot keep for each client.
  if (!isPooled) parameters.statement_timeout = String(statementTimeout)
  if (options !== '') parameters.options = options
  const settings = {
    // Never used: the socket knows where to connect.
    host: 'localhost',
    port: 5432,
    user,
    pass: () => preparePassword(password),
    database,
    ssl: false,
    sslnegotiation: null,
    connection: parameters,
    prepare: prepares,
    max: 1,
    max_lifetime: null,
    max_pipeline: 100,
    idle_timeout: undefined,
    connect_timeout: 5,
    keep_alive: 60,
    backoff: false,
    debug: false,
    publications: '',
    fetch_types: false,
    types: { asText },
    onnotice: () => undefined,
    // Missing from the driver's types: `socket` is documented ("Custom socket"), `onnotify` is used by its own `listen`.
    socket,
    onnotify,
  }
  return postgres(settings)
}

/**
 * As libpq does: Postgres keeps passwords prepared by SASLprep (RFC 4013), where a no-break space is a space. One that it does not
 * allow is used as it is.
 */
async function preparePassword(password: string): Promise<string> {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(password)) return password
  const { saslprep } = await import('@mongodb-js/saslprep')
  try {
    return saslprep(password)
  } catch {
    return password
  }
}

export interface ClientOptions {
  /** Whether statements have a time limit, as by default. */
  hasTimeLimit?: boolean
  /** Called for each notification, if the connection listens. */
  onnotify?: ((channel: string, payload: string) => void) | undefined
}

/**
 * The driver with one connection to one host, the client of a `Connection`. It runs one statement at a time, and is lost after any
 * failure: workarounds/postgres.ts says why. Each statement is answered, whatever the driver does.
 */
export class Client {
  readonly #address: PostgresAddress
  readonly #hasTimeLimit: boolean
  readonly #onLost: () => void
  readonly #socket = new Socket()
  readonly #sql: Sql
  #hasConnected = false
  #socketError: Error | undefined
  #lastChunk: Buffer | undefined
  /** Rejects the statement in flight; null: there is none. */
  #reject: ((error: Error) => void) | null = null
  /** What a cancel request has to contain; known after the first statement. */
  #cancelKey: { pid: number; secret: number } | undefined
  #cancelTimer: NodeJS.Timeout | undefined

  /** @param onLost called, at least once, when the connection was closed by either side, or could not be made */
  constructor(
    address: PostgresAddress,
    { hasTimeLimit = true, onnotify }: ClientOptions,
    onLost: () => void,
  ) {
    this.#address = address
    this.#hasTimeLimit = hasTimeLimit
    this.#onLost = onLost
    const statementTimeout = hasTimeLimit ? STATEMENT_LIMIT_MS : 0
    this.#sql = createDriver(address, { socket: () => this.#connect(), statementTimeout, onnotify })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () =>
      this.destroy(this.#socketError ?? connectionError('CONNECTION_CLOSED', 'the connection was closed')),
    )
  }

  /** @throws what the driver throws; FatalError if Postgres has ended the connection; ServiceError TIMEOUT if it was silent */
  run({ text, parameters, prepare, onColumns }: Statement): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      const query = this.#sql.unsafe<Record<string, string | null>[]>(text, [...parameters], { prepare })
      keepNoStackTrace(query)
      sendAtOnce(query)
      query.values().then(
        (rows) => {
          this.#cancelKey = rows.state
          this.#reject = null
          onColumns?.(rows.columns)
          resolve(takeRows(query, rows))
          // A cancel request may arrive late, and could cancel the next statement.
          if (this.#cancelTimer) this.destroy()
        },
        (error: unknown) => this.destroy(toError(error)),
      )
    })
  }

  /** Closes the connection at once. @param error what a statement in flight fails with, unless Postgres has said why */
  destroy(error: Error = connectionError('CONNECTION_DESTROYED', 'the connection was destroyed')): void {
    this.#reject?.(this.#findFatal() ?? error)
    this.#reject = null
    clearTimeout(this.#cancelTimer)
    const socket = this.#socket.unref()
    if (socket.pending) socket.destroy()
    // When all written bytes have been sent, even if the peer goes on sending.
    else socket.destroySoon()
    this.#onLost()
  }

  /** The last message of Postgres, if it says that Postgres has ended the connection. */
  #findFatal(): FatalError | null {
    const fatal = this.#lastChunk && findFatalError(this.#lastChunk)
    return fatal ? new FatalError(fatal.code, fatal.message) : null
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 })
    this.destroy()
  }

  /** Called by the driver, once more if the peer hangs up in the handshake. */
  async #connect(): Promise<Socket> {
    if (this.#hasConnected || this.#socket.destroyed)
      throw connectionError('CONNECTION_CLOSED', 'the connection was closed')
    this.#hasConnected = true
    const stream = await connectSocket(this.#socket, this.#address)
    stream.on('error', (error) => (this.#socketError = error))
    stream.on('data', (chunk: Buffer) => (this.#lastChunk = chunk))
    if (this.#hasTimeLimit) {
      const limit = this.#address.isPooled ? STATEMENT_LIMIT_MS : SILENCE_LIMIT_MS
      stream.setTimeout(limit, () => this.#onSilence())
    }
    return stream
  }

  /** Called when nothing was sent or received for as long as a statement may take. Behind a pooler, the statement in flight may only be waiting. */
  #onSilence(): void {
    const [statement, chunk] = [this.#reject, this.#lastChunk]
    if (!statement) return
    afterReads(() => {
      if (this.#reject !== statement || this.#lastChunk !== chunk) return
      if (this.#address.isPooled) this.#cancelFor(SILENCE_LIMIT_MS - STATEMENT_LIMIT_MS)
      else this.#giveUp()
    })
  }

  /** Sends cancel requests for the statement in flight for some time, then gives up. */
  #cancelFor(time: number): void {
    if (time <= 0) return this.#giveUp()
    if (this.#cancelKey) requestCancel(this.#address, this.#cancelKey)
    this.#cancelTimer = setTimeout(() => this.#cancelFor(time - CANCEL_INTERVAL_MS), CANCEL_INTERVAL_MS)
  }

  #giveUp(): void {
    this.destroy(new ServiceError('TIMEOUT', undefined, { cause: 'ETIMEDOUT' }))
  }
}

/** A connection that is opened for its first statement. After it was lost or a statement failed, it is not used again. */
export class Connection {
  readonly #hosts: Hosts
  readonly #options: ClientOptions
  readonly #onClosed: () => void
  /** The client for the host that is being tried or, once the connection is open, for the primary. */
  #client: Client | null = null
  #isOpen = false
  #isDestroyed = false

  /** @param onClosed called when the connection is closed by either side, or could not be made */
  constructor(hosts: Hosts | PostgresAddress, onClosed: () => void, options: ClientOptions = {}) {
    this.#hosts = hosts instanceof Hosts ? hosts : new Hosts([hosts])
    this.#options = options
    this.#onClosed = onClosed
  }

  /** Whether it was opened, even if it has been lost since. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  /**
   * Runs one statement at a time.
   * @param watch told when the connection is open and the statement is sent
   * @throws what the driver throws; FatalError if Postgres has ended the connection
   */
  run(statement: Statement, watch?: StatementWatch): Promise<TextRow[]> {
    const send = (client: Client) => {
      watch?.onSent()
      return client.run(statement)
    }
    return this.#isOpen && this.#client ? send(this.#client) : this.#open().then(send)
  }

  /** Closes the connection at once; a statement in flight fails. */
  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#client?.destroy()
    this.#onClosed()
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    if (!this.#isDestroyed) await this.#client?.close()
    this.destroy()
  }

  async #open(): Promise<Client> {
    try {
      this.#client = await this.#hosts.findPrimary((address, limit) => this.#connect(address, limit))
      this.#isOpen = true
      return this.#client
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  async #connect(address: PostgresAddress, limit: number) {
    if (this.#isDestroyed) throw connectionError('CONNECTION_DESTROYED', 'the connection was destroyed')
    const client = new Client(address, this.#options, () => {
      // A host that is not the primary may close its connection later.
      if (this.#isOpen && client === this.#client) this.destroy()
    })
    this.#client = client
    const giveUp = () => client.destroy(connectionError('CONNECT_TIMEOUT', 'no connection in time'))
    let deferred: NodeJS.Immediate | undefined
    const timer = setTimeout(() => (deferred = afterReads(giveUp)), limit)
    try {
      const [row] = await client.run(address.isPooled ? recoveryStatement : settingsStatement)
      return { client, isStandby: row?.[0] === 'true' }
    } finally {
      clearTimeout(timer)
      clearImmediate(deferred)
    }
  }
}

const begin = fixedStatement('begin', sql`begin`)
const commit = fixedStatement('commit', sql`commit`)

/** A connection for one caller, which may hold a transaction: a migration, an import, an export. Its statements have no time limit. */
export class DedicatedConnection extends Connection {
  /** Drizzle over `query`. */
  readonly db = createDb(this)

  /** @param onClosed called when it was closed or lost */
  constructor(hosts: Hosts | PostgresAddress, onClosed: () => void = () => undefined) {
    super(hosts, onClosed, { hasTimeLimit: false })
  }

  /** As `run`. @throws as Database.query, but never OVERLOADED */
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
