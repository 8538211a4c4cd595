/** What each code of Postgres, the driver and the system means: for clients, for what is done next, and for the operator. */
import type { ErrorCode } from '../../base/service-error.ts'

// SQLSTATEs, by their names in the manual.
/** Only if a connection fails with it, no statement was sent. */
export const TOO_MANY_CONNECTIONS = '53300'
export const READ_ONLY_SQL_TRANSACTION = '25006'
export const UNDEFINED_TABLE = '42P01'
export const INSUFFICIENT_PRIVILEGE = '42501'
/** Our own: all hosts of a URL answer, or fail, but none is the primary (hosts.ts). */
export const NO_PRIMARY = 'NO_PRIMARY'

/** What an error means for what is done next, if clients may know of it. */
export type FailureKind =
  /** Postgres has refused a connection, because it has too many: no statement was sent. See db/external/primary-pools.ts for what follows. */
  | 'refused connection'
  /** A connection was lost or could not be made, probably because of the server: its other connections are not trusted either. */
  | 'lost server'
  /** Waiting does not help: a server that starts, and a migration, end with the message of Postgres. */
  | 'lasting'
  /** The next statement may succeed. */
  | 'passing'

/** The same for what clients may not know of. */
type BugKind =
  /** A value was rejected by Postgres (classes 22 and 23), or by a trigger (P0): the statement had no effect. */
  | 'rejected value'
  /** A statement of ours is wrong, or nothing is known of the code. */
  | 'bug'

export type ErrorKind = FailureKind | BugKind

interface Advised {
  /** What the operator can do while a server waits, or a command fails. */
  advice?: string
}

interface Failure extends Advised {
  kind: FailureKind
  /** What clients get. */
  answer: ErrorCode
  /** What clients read instead of the message of the catalogue. */
  message?: string
  /** What the log adds to the code. */
  reason?: string
}

interface Bug extends Advised {
  kind: BugKind
  answer: null
}

type Meaning = Failure | Bug

const BUG: Bug = { answer: null, kind: 'bug' }
const REJECTED: Bug = { answer: null, kind: 'rejected value' }
const UNAVAILABLE: Failure = { answer: 'DATABASE_UNAVAILABLE', kind: 'passing' }
const LASTING: Failure = { answer: 'DATABASE_UNAVAILABLE', kind: 'lasting' }
const LOST: Failure = { answer: 'DATABASE_UNAVAILABLE', kind: 'lost server' }

const CLOSED = 'Postgres closed the connection. Its log, or that of a proxy in between, says why.'
const LOGIN = 'Correct the user and the password in the URL.'
const TIME_LIMIT = 'A time limit of Postgres ended the connection. Raise it for this user.'
const NOT_FOUND =
  'A schema, table, type or function was not found. Correct the parameter options in the URL, or let search_path begin with the schema of the tables.'
const INTERFERENCE = 'Another transaction interfered. Try again.'
const RESOURCES = 'Does Postgres have enough connections, memory and disk space?'
const DISK = 'Postgres has a problem with its disk, its files or its memory. Its log says more.'
const CERTIFICATE = 'Check the certificate of Postgres, and sslmode in the URL.'

/** The first that matches counts; a code that none matches is a bug. The SQLSTATEs and their classes are those of the PostgreSQL manual, appendix A. */
const MEANINGS: readonly (readonly [RegExp, Meaning])[] = [
  [
    /^08P01$/,
    {
      ...UNAVAILABLE,
      advice:
        'Is there a pooler in between? Add ?pooler=transaction to DATABASE_URL, and set DATABASE_LISTEN_URL to a URL without the pooler.',
    },
  ],
  [/^08...$/, { ...UNAVAILABLE, advice: CLOSED }],
  // Also "cached plan must not change result type", after the type of a column was made again: the driver then prepares again by itself.
  [
    /^0A000$/,
    { ...BUG, advice: 'This Postgres cannot do what this program needs. Is it PostgreSQL 14 or later?' },
  ],
  [/^2200H$/, { answer: 'IDS_EXHAUSTED', kind: 'passing' }],
  [/^22023$/, { ...REJECTED, advice: 'Correct the value of the parameter options in the URL.' }],
  [/^(22|P0)...$/, REJECTED],
  [
    /^23...$/,
    {
      ...REJECTED,
      advice: 'The database has rows that the migration cannot change. Correct them, then try again.',
    },
  ],
  [
    /^25006$/,
    {
      ...UNAVAILABLE,
      // Reads go on.
      message: 'The database accepts no changes at the moment. Reading is possible.',
      reason: 'the database is read-only, or a standby',
      advice:
        'This Postgres is a standby, or read-only (default_transaction_read_only). Set DATABASE_URL to the primary, or to all hosts of the cluster: host1:5432,host2:5432.',
    },
  ],
  [/^25P0[34]$/, { ...UNAVAILABLE, advice: TIME_LIMIT }],
  [
    /^28000$/,
    {
      ...UNAVAILABLE,
      advice:
        'pg_hba.conf does not let this user connect from here. If it accepts only encrypted connections, add ?sslmode=require to the URL.',
    },
  ],
  [/^28...$/, { ...UNAVAILABLE, advice: LOGIN }],
  [/^3D...$/, { ...UNAVAILABLE, advice: 'Create the database, or correct its name in the URL.' }],
  [
    /^(3F000|42704|42883|42P01)$/,
    { ...LASTING, reason: 'a schema, table, type or function was not found', advice: NOT_FOUND },
  ],
  [/^40...$/, { ...UNAVAILABLE, advice: INTERFERENCE }],
  [
    /^42501$/,
    {
      ...LASTING,
      reason: 'this user lacks a privilege',
      advice: 'Make this user the owner of the database, or grant it the missing privilege.',
    },
  ],
  [
    /^42(P0[67]|710|723|P04)$/,
    {
      ...BUG,
      advice:
        'Another program has created a table, type or function with the same name in this database. Use another database.',
    },
  ],
  [
    /^4260[12]$/,
    { ...BUG, advice: 'This Postgres does not support this SQL. Is it PostgreSQL 14 or later?' },
  ],
  [/^42703$/, { ...BUG, advice: NOT_FOUND }],
  [/^53100$/, { ...UNAVAILABLE, advice: 'The disk of Postgres is full. Make space.' }],
  [/^53200$/, { ...UNAVAILABLE, advice: 'Postgres is out of memory. Give it more, or stop other clients.' }],
  [
    /^53300$/,
    {
      ...UNAVAILABLE,
      advice:
        'Postgres has too many connections. Lower DATABASE_CONNECTIONS, stop other clients, or raise max_connections.',
    },
  ],
  [/^53...$/, { ...UNAVAILABLE, advice: RESOURCES }],
  [
    /^54000$/,
    {
      ...LASTING,
      reason: 'a limit of Postgres was reached: is its NOTIFY queue full?',
      advice: RESOURCES,
    },
  ],
  [/^54...$/, { ...BUG, advice: RESOURCES }],
  [/^55006$/, { ...BUG, advice: INTERFERENCE }],
  // lock_timeout, and statement_timeout or a request to cancel
  [/^(55P03|57014)$/, { answer: 'TIMEOUT', kind: 'passing', advice: INTERFERENCE }],
  [
    /^57P03$/,
    {
      ...UNAVAILABLE,
      advice:
        'Postgres is starting, stopping or recovering. Try again; if that does not help, its log says why.',
    },
  ],
  [/^57P05$/, { ...UNAVAILABLE, advice: TIME_LIMIT }],
  [/^57P..$/, { ...UNAVAILABLE, advice: 'Postgres was stopped, or ended the connection. Try again.' }],
  [/^58...$/, { ...LASTING, reason: 'Postgres cannot use one of its files', advice: DISK }],
  // Also of Citus, if a worker fails, and of statements that were prepared before their types were made again.
  [/^XX...$/, { ...LASTING, reason: 'an error inside Postgres', advice: DISK }],
  [/^F0...$/, { ...BUG, advice: DISK }],

  [
    new RegExp(`^${NO_PRIMARY}$`),
    {
      ...LOST,
      advice:
        'None of the hosts in the URL is the primary. Does the URL name all hosts of the cluster, and is one of them running as the primary?',
    },
  ],

  // Of the driver.
  [
    /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    {
      ...LOST,
      advice:
        'The host does not answer. Are the host and port in the URL right, and is there a firewall in between?',
    },
  ],
  [/^CONNECTION_/, { ...LOST, advice: CLOSED }],
  [/^SASL_/, { ...BUG, advice: LOGIN }],

  // Of TLS, in Node.
  [
    /^ERR_TLS_UNSUPPORTED$/,
    {
      ...LOST,
      advice:
        'Postgres does not accept encrypted connections. Turn on ssl in Postgres, or remove sslmode from the URL.',
    },
  ],
  [
    /^UNABLE_TO_|SELF_SIGNED_CERT/,
    {
      ...LOST,
      advice:
        'The certificate of Postgres is not trusted. Add sslrootcert to the URL: the file with the certificate of its CA. Or set NODE_EXTRA_CA_CERTS to that file.',
    },
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    {
      ...LOST,
      advice:
        'Write a name that is in the certificate of Postgres as the host in the URL. Or set sslmode to verify-ca, which does not compare names.',
    },
  ],
  [
    /^(CERT_|CRL_|ERR_SSL_|ERR_TLS_|ERROR_IN_C|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/,
    { ...LOST, advice: CERTIFICATE },
  ],
  [/^ERR_OSSL_/, { ...BUG, advice: CERTIFICATE }],

  // Of Node's sockets, of the system and of DNS.
  [
    /^ECONNREFUSED$/,
    {
      ...LOST,
      advice: 'Nothing is listening there. Is Postgres running, and are the host and port in the URL right?',
    },
  ],
  [/^(ENOTFOUND|EAI_.*)$/, { ...LOST, advice: 'The host in the URL is unknown. Is it spelled correctly?' }],
  [
    /^(ECONNRESET|EPIPE)$/,
    { ...LOST, advice: 'The connection was closed. Is it Postgres that listens there?' },
  ],
  [/^(ERR_SOCKET_C(LOSED|ONNECTION)\w*|ERR_STREAM_DESTROYED)$/, LOST],
  // Any other of the system, by form, because the list is open. Without permission (EACCES), the settings are wrong.
  [/^E(?!RR_|ACCES$)[A-Z\d_]+$/, LOST],
]

/** @param code an SQLSTATE, or the code of the driver, Node or the system */
export function meaningOf(code: string): Meaning {
  return MEANINGS.find(([pattern]) => pattern.test(code))?.[1] ?? BUG
}
