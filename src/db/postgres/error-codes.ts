/**
 * What each code of Postgres, the driver and the system means: for clients, for what is done next, and for the operator. `meaningOf` says it
 * of a statement, `meaningOfFatal` of a connection; only a check that has failed means something else (`createNotReadyError`).
 */
import type { ErrorCode } from '../../base/error-catalogue.ts'

/** The codes that this program makes, or compares with. */
export const CODES = {
  // SQLSTATEs, by their names in the PostgreSQL manual, appendix A.
  UNIQUE_VIOLATION: '23505',
  READ_ONLY_SQL_TRANSACTION: '25006',
  INSUFFICIENT_PRIVILEGE: '42501',
  UNDEFINED_TABLE: '42P01',
  TOO_MANY_CONNECTIONS: '53300',
  /** A statement has waited for a lock longer than lock_timeout (lock-wait.ts). */
  LOCK_NOT_AVAILABLE: '55P03',
  /** By statement_timeout, or by a request to cancel. */
  QUERY_CANCELED: '57014',
  /** Also of Citus, if a worker fails, and of statements that were prepared before their types were made again. */
  INTERNAL_ERROR: 'XX000',

  // Of the driver, of the system, and of Node.
  CONNECT_TIMEOUT: 'CONNECT_TIMEOUT',
  CONNECTION_CLOSED: 'CONNECTION_CLOSED',
  CONNECTION_DESTROYED: 'CONNECTION_DESTROYED',
  ERR_TLS_CERT_ALTNAME_INVALID: 'ERR_TLS_CERT_ALTNAME_INVALID',

  // Our own.
  /** All hosts of a URL answer, or fail, but none is the primary (connections/hosts.ts). */
  NO_PRIMARY: 'NO_PRIMARY',
  /** Nothing has come for too long during a statement (connections/host-connection.ts). */
  SILENT_CONNECTION: 'SILENT_CONNECTION',
  /** Postgres has answered that it does not accept TLS (connections/socket.ts). */
  ERR_TLS_UNSUPPORTED: 'ERR_TLS_UNSUPPORTED',
} as const

export type OwnCode = (typeof CODES)[keyof typeof CODES]

/** What an error means for what is done next, if clients may know of it. */
type ServiceErrorKind =
  /** Postgres has refused a connection, because it has too many: no statement was sent. See db/external/primary-pools.ts for what follows. */
  | 'refused connection'
  /** A connection was lost or could not be made, probably because of the server: its other connections are not trusted either. */
  | 'lost server'
  /** Waiting does not help: a server that starts, and a migration, end with the message of Postgres. */
  | 'lasting'
  /** The next statement may succeed. */
  | 'passing'

/** The same for what clients may not know of. */
export type BugKind =
  /** A value was rejected by Postgres (classes 22 and 23), or by a trigger (P0): the statement had no effect. */
  | 'rejected value'
  /** A statement of ours is wrong, or nothing is known of the code. */
  | 'bug'

interface Advised {
  /** What the operator can do while a server waits, or a command fails. */
  advice?: string
}

/** What an error means that clients may know of. */
export interface ServiceErrorMeaning extends Advised {
  kind: ServiceErrorKind
  /** What clients get instead of DATABASE_UNAVAILABLE. */
  answer?: ErrorCode
  /** What clients read instead of the message of the catalogue. */
  message?: string
  /** What the log adds to the code. */
  reason?: string
}

/** What an error means that is our own bug: clients get INTERNAL. */
interface BugMeaning extends Advised {
  kind: BugKind
}

type Meaning = ServiceErrorMeaning | BugMeaning

/** What is known of a code. */
type Row = Meaning & {
  /** Its kind if a connection was refused, or ended, for this reason. That is never a bug of a statement: none has failed by itself. */
  kindOfConnection: ServiceErrorKind
}

const CLOSED = 'Postgres closed the connection. Its log, or that of a proxy in between, says why.'
const LOGIN = 'Correct the user and the password in the URL.'
const TIME_LIMIT = 'A time limit of Postgres ended the connection. Raise it for this user.'
const NOT_FOUND = 'a schema, table, type or function was not found'
const NOT_FOUND_ADVICE =
  'A schema, table, type or function was not found. Correct the parameter options in the URL, ' +
  'or let search_path begin with the schema of the tables.'
const NO_IDS =
  'Export everything, and import it without --keep-ids into an empty database, where ids begin at 1.'
const INTERFERENCE = 'Another transaction interfered. Try again.'
const RESOURCES = 'Does Postgres have enough connections, memory and disk space?'
const DISK = 'Postgres has a problem with its disk, its files or its memory. Its log says more.'
const NAME_TAKEN =
  'Another program has created a table, type or function with the same name in this database. Use another database.'
const TOO_OLD = 'This Postgres does not support this SQL. Is it PostgreSQL 14 or later?'
const SILENT =
  'The host does not answer. Are the host and port in the URL right, and is there a firewall in between?'
const NO_FILES =
  'This process, or its machine, has no file descriptors left, which connections need. Raise the limit (ulimit -n).'
const UNKNOWN_HOST = 'The host in the URL is unknown. Is it spelled correctly?'
const HUNG_UP = 'The connection was closed. Is it Postgres that listens there?'
const CERTIFICATE = 'Check the certificate of Postgres, and sslmode in the URL.'
const NOT_TRUSTED =
  'The certificate of Postgres is not trusted. Add sslrootcert to the URL: the file with the certificate of its CA. ' +
  'Or set NODE_EXTRA_CA_CERTS to that file.'

const known = (kind: ServiceErrorKind, more: Omit<ServiceErrorMeaning, 'kind'> = {}): Row => ({
  kind,
  kindOfConnection: kind,
  ...more,
})
const passing = (advice: string, more: Pick<ServiceErrorMeaning, 'message' | 'reason'> = {}): Row =>
  known('passing', { advice, ...more })
const lasting = (reason: string, advice: string): Row => known('lasting', { reason, advice })
const lost = (advice: string): Row => known('lost server', { advice })
const LOST = known('lost server')
const TIMEOUT = known('passing', { answer: 'TIMEOUT', advice: INTERFERENCE })

const REJECTED: Row = { kind: 'rejected value', kindOfConnection: 'lasting' }
const rejected = (advice: string): Row => ({ ...REJECTED, advice })
const BUG: Row = { kind: 'bug', kindOfConnection: 'lasting' }
const bug = (advice: string): Row => ({ ...BUG, advice })

/** Codes that mean something else than those like them. */
const BY_CODE = toMap({
  // SQLSTATEs (PostgreSQL manual, appendix A).
  '08P01': passing(
    'Is there a pooler in between? Add ?pooler=transaction to DATABASE_URL, ' +
      'and set DATABASE_LISTEN_URL to a URL without the pooler.',
  ),
  // Also "cached plan must not change result type", after the type of a column was made again: the driver then prepares again by itself.
  '0A000': bug('This Postgres cannot do what this program needs. Is it PostgreSQL 14 or later?'),
  '2200H': known('passing', { answer: 'IDS_EXHAUSTED', advice: NO_IDS }),
  '22023': rejected('Correct the value of the parameter options in the URL.'),
  [CODES.READ_ONLY_SQL_TRANSACTION]: passing(
    'This Postgres is a standby, or read-only (default_transaction_read_only). ' +
      'Set DATABASE_URL to the primary, or to all hosts of the cluster: host1:5432,host2:5432.',
    {
      message: 'The database accepts no changes at the moment. Reading is possible.',
      reason: 'the database is read-only, or a standby',
    },
  ),
  '25P03': passing(TIME_LIMIT),
  '25P04': passing(TIME_LIMIT),
  '28000': passing(
    'pg_hba.conf does not let this user connect from here. ' +
      'If it accepts only encrypted connections, add ?sslmode=require to the URL.',
  ),
  '3F000': lasting(NOT_FOUND, NOT_FOUND_ADVICE),
  [CODES.INSUFFICIENT_PRIVILEGE]: lasting(
    'this user lacks a privilege',
    'Make this user the owner of the database, or grant it the missing privilege.',
  ),
  '42601': bug(TOO_OLD),
  '42602': bug(TOO_OLD),
  '42703': bug(NOT_FOUND_ADVICE),
  '42704': lasting(NOT_FOUND, NOT_FOUND_ADVICE),
  '42883': lasting(NOT_FOUND, NOT_FOUND_ADVICE),
  [CODES.UNDEFINED_TABLE]: lasting(NOT_FOUND, NOT_FOUND_ADVICE),
  '42710': bug(NAME_TAKEN),
  '42723': bug(NAME_TAKEN),
  '42P04': bug(NAME_TAKEN),
  '42P06': bug(NAME_TAKEN),
  '42P07': bug(NAME_TAKEN),
  '53100': passing('The disk of Postgres is full. Make space.'),
  '53200': passing('Postgres is out of memory. Give it more, or stop other clients.'),
  [CODES.TOO_MANY_CONNECTIONS]: {
    kind: 'passing',
    kindOfConnection: 'refused connection',
    advice:
      'Postgres has too many connections. Lower DATABASE_CONNECTIONS, stop other clients, or raise max_connections.',
  },
  '54000': lasting('a limit of Postgres was reached: is its NOTIFY queue full?', RESOURCES),
  '55006': bug(INTERFERENCE),
  [CODES.LOCK_NOT_AVAILABLE]: TIMEOUT,
  [CODES.QUERY_CANCELED]: TIMEOUT,
  '57P03': passing(
    'Postgres is starting, stopping or recovering. Try again; if that does not help, its log says why.',
  ),
  '57P05': passing(TIME_LIMIT),

  // Of the search for the primary.
  [CODES.NO_PRIMARY]: lost(
    'None of the hosts in the URL is the primary. ' +
      'Does the URL name all hosts of the cluster, and is one of them running as the primary?',
  ),

  // Of sockets, of the system and of DNS.
  [CODES.SILENT_CONNECTION]: known('lost server', { answer: 'TIMEOUT', advice: SILENT }),
  [CODES.CONNECT_TIMEOUT]: lost(SILENT),
  ETIMEDOUT: lost(SILENT),
  EHOSTUNREACH: lost(SILENT),
  ENETUNREACH: lost(SILENT),
  ECONNREFUSED: lost(
    'Nothing is listening there. Is Postgres running, and are the host and port in the URL right?',
  ),
  ENOTFOUND: lost(UNKNOWN_HOST),
  ECONNRESET: lost(HUNG_UP),
  EPIPE: lost(HUNG_UP),
  ERR_STREAM_DESTROYED: LOST,
  EMFILE: passing(NO_FILES),
  ENFILE: passing(NO_FILES),
  EACCES: lasting('permission denied', 'May this process open connections?'),

  // Of TLS.
  [CODES.ERR_TLS_UNSUPPORTED]: lost(
    'Postgres does not accept encrypted connections. Turn on ssl in Postgres, or remove sslmode from the URL.',
  ),
  [CODES.ERR_TLS_CERT_ALTNAME_INVALID]: lost(
    'Write a name that is in the certificate of Postgres as the host in the URL. ' +
      'Or set sslmode to verify-ca, which does not compare names.',
  ),
  DEPTH_ZERO_SELF_SIGNED_CERT: lost(NOT_TRUSTED),
  SELF_SIGNED_CERT_IN_CHAIN: lost(NOT_TRUSTED),
  INVALID_CA: lost(CERTIFICATE),
  INVALID_PURPOSE: lost(CERTIFICATE),
  PATH_LENGTH_EXCEEDED: lost(CERTIFICATE),
})

/** All other SQLSTATEs of a class, which is their first two characters. */
const BY_CLASS = toMap({
  '08': passing(CLOSED),
  '22': REJECTED,
  '23': rejected('The database has rows that the migration cannot change. Correct them, then try again.'),
  '28': passing(LOGIN),
  '3D': passing('Create the database, or correct its name in the URL.'),
  '40': passing(INTERFERENCE),
  '53': passing(RESOURCES),
  '54': bug(RESOURCES),
  '57': passing('Postgres was stopped, or ended the connection. Try again.'),
  '58': lasting('Postgres cannot use one of its files', DISK),
  F0: bug(DISK),
  P0: REJECTED,
  XX: lasting('an error inside Postgres', DISK),
})

/** All other codes of the driver, Node and the system that begin so. */
const BY_PREFIX = toMap({
  CONNECTION_: lost(CLOSED),
  SASL_: lasting('the server has not proved that it knows the password', LOGIN),
  EAI_: lost(UNKNOWN_HOST),
  ERR_SOCKET_CLOSED: LOST,
  ERR_SOCKET_CONNECTION: LOST,
  UNABLE_TO_: lost(NOT_TRUSTED),
  CERT_: lost(CERTIFICATE),
  CRL_: lost(CERTIFICATE),
  ERROR_IN_C: lost(CERTIFICATE),
  ERR_SSL_: lost(CERTIFICATE),
  ERR_TLS_: lost(CERTIFICATE),
  ERR_OSSL_: lasting('a certificate cannot be used', CERTIFICATE),
})

/** All others of the system, by form, because the list is open. */
const OF_SYSTEM = /^E(?!RR)[A-Z\d_]+$/

/**
 * What the error of a statement means.
 * @param code an SQLSTATE, or the code of the driver, Node or the system @returns that of a bug, if nothing is known of the code
 */
export function meaningOf(code: string): Meaning {
  return rowOf(code)
}

/** What it means if a connection was refused, or ended, for this reason. @param code as of meaningOf */
export function meaningOfFatal(code: string): ServiceErrorMeaning {
  const { kindOfConnection: kind, ...row } = rowOf(code)
  return { ...row, kind }
}

/** Whether it is our own bug. */
export function isBug(meaning: Meaning): meaning is BugMeaning {
  return meaning.kind === 'bug' || meaning.kind === 'rejected value'
}

function rowOf(code: string): Row {
  const ofClass = code.length === 5 ? BY_CLASS.get(code.slice(0, 2)) : undefined
  return BY_CODE.get(code) ?? ofClass ?? findByPrefix(code) ?? (OF_SYSTEM.test(code) ? LOST : BUG)
}

function findByPrefix(code: string): Row | undefined {
  const prefix = BY_PREFIX.keys().find((prefix) => code.startsWith(prefix))
  return prefix === undefined ? undefined : BY_PREFIX.get(prefix)
}

/** A map, since a code may be the name of a property that every object has. */
function toMap(rows: Readonly<Record<string, Row>>): ReadonlyMap<string, Row> {
  return new Map(Object.entries(rows))
}
