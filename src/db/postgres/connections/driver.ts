/** postgres.js with our settings. */
import type { Socket } from 'node:net'
import postgres, { type Sql } from 'postgres'
import type { PostgresAddress } from '../../../config/database-url.ts'
import { ignoreTargetSessionAttrs } from '../../../workarounds/postgres.ts'
import { APPLICATION_NAME } from '../application-name.ts'
import { OPEN_LIMIT_MS } from '../time-limits.ts'

interface DriverOptions {
  /** Connects the socket of its one connection. */
  socket: () => Promise<Socket>
  /** Milliseconds after which Postgres cancels a statement; 0: never; null: the login does not say (connection-mode.ts). */
  statementTimeout: number | null
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
  const { user, password, database, prepares, options } = address
  ignoreTargetSessionAttrs()
  let normalized = password
  const connect = async () => {
    // Before it connects, not in `pass`: after a wait there, the driver writes to its socket, although that may have been closed meanwhile.
    normalized = await normalizePassword(password)
    return socket()
  }
  const parameters: Record<string, string> = { application_name: APPLICATION_NAME }
  // A text, since the driver leaves out 0.
  if (statementTimeout !== null) parameters.statement_timeout = String(statementTimeout)
  if (options !== '') parameters.options = options
  const settings = {
    // Never used: the socket knows where to connect.
    host: 'localhost',
    port: 5432,
    user,
    // A function: the driver would read an empty password from the environment.
    pass: () => normalized,
    database,
    ssl: false,
    sslnegotiation: null,
    connection: parameters,
    prepare: prepares,
    max: 1,
    max_lifetime: null,
    max_pipeline: 100,
    idle_timeout: undefined,
    connect_timeout: OPEN_LIMIT_MS / 1_000,
    keep_alive: 60,
    backoff: false,
    debug: false,
    publications: '',
    fetch_types: false,
    types: { asText },
    onnotice: () => undefined,
    // Missing from the driver's types: `socket` is documented ("Custom socket"), `onnotify` is used by its own `listen`.
    socket: connect,
    onnotify,
  }
  return postgres(settings)
}

/**
 * As libpq does: Postgres keeps passwords prepared by SASLprep (RFC 4013), where a no-break space is a space. One that it does not
 * allow is used as it is.
 */
async function normalizePassword(password: string): Promise<string> {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(password)) return password
  const { saslprep } = await import('@mongodb-js/saslprep')
  try {
    return saslprep(password)
  } catch {
    return password
  }
}
