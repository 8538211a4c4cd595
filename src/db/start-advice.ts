/** What to do if a Postgres cannot be used; the log says it as `advice`. */
import { ServiceError } from '../base/service-error.ts'
import { DatabaseError, NotMigratedError, toDatabaseError } from './postgres/postgres-errors.ts'

/** SQLSTATEs (PostgreSQL manual, appendix A) and codes of connections, each with what is wrong or what to do. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /^08P01$/,
    'Is there a pooler in between? Add ?pooler=transaction to DATABASE_URL, and set DATABASE_LISTEN_URL to a URL without the pooler.',
  ],
  [/^(08|CONNECTION_)/, 'Postgres closed the connection. Its log, or that of a proxy in between, says why.'],
  [/^0A000$/, 'This Postgres cannot do what this program needs. Is it PostgreSQL 14 or later?'],
  [/^22023$/, 'Correct the value of the parameter options in the URL.'],
  [
    /^25006$/,
    'This Postgres is a standby, or read-only (default_transaction_read_only). Set DATABASE_URL to the primary, or to all hosts of the cluster: host1:5432,host2:5432.',
  ],
  [/^(25P0[34]|57P05)$/, 'A time limit of Postgres ended the connection. Raise it for this user.'],
  [
    /^28000$/,
    'pg_hba.conf does not let this user connect from here. If it accepts only encrypted connections, add ?sslmode=require to the URL.',
  ],
  [/^(28|SASL_)/, 'Correct the user and the password in the URL.'],
  [/^3D000$/, 'Create the database, or correct its name in the URL.'],
  [
    /^(3F000|42704|42P01|42703|42883)$/,
    'A schema, table, type or function was not found. Correct the parameter options in the URL, or let search_path begin with the schema of the tables.',
  ],
  [/^(40|55P03|57014|55006)/, 'Another transaction interfered. Try again.'],
  [/^42501$/, 'Make this user the owner of the database, or grant it the missing privilege.'],
  [
    /^42(P0[67]|710|723|P04)$/,
    'Another program has created a table, type or function with the same name in this database. Use another database.',
  ],
  [/^4260[12]$/, 'This Postgres does not support this SQL. Is it PostgreSQL 14 or later?'],
  [/^23/, 'The database has rows that the migration cannot change. Correct them, then try again.'],
  [/^53100$/, 'The disk of Postgres is full. Make space.'],
  [/^53200$/, 'Postgres is out of memory. Give it more, or stop other clients.'],
  [
    /^53300$/,
    'Postgres has too many connections. Lower DATABASE_CONNECTIONS, stop other clients, or raise max_connections.',
  ],
  [/^(53|54)/, 'Does Postgres have enough connections, memory and disk space?'],
  [
    /^57P03$/,
    'Postgres is starting, stopping or recovering. Try again; if that does not help, its log says why.',
  ],
  [/^57P/, 'Postgres was stopped, or ended the connection. Try again.'],
  [/^(58|XX|F0)/, 'Postgres has a problem with its disk, its files or its memory. Its log says more.'],
  [
    /^ECONNREFUSED$/,
    'Nothing is listening there. Is Postgres running, and are the host and port in the URL right?',
  ],
  [/^(ENOTFOUND|EAI_.*)$/, 'The host in the URL is unknown. Is it spelled correctly?'],
  [
    /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    'The host does not answer. Are the host and port in the URL right, and is there a firewall in between?',
  ],
  [
    /^ERR_TLS_UNSUPPORTED$/,
    'Postgres does not accept encrypted connections. Turn on ssl in Postgres, or remove sslmode from the URL.',
  ],
  [/^(ECONNRESET|EPIPE)$/, 'The connection was closed. Is it Postgres that listens there?'],
  [
    /^(UNABLE_TO_|.*SELF_SIGNED)/,
    'The certificate of Postgres is not trusted. Add sslrootcert to the URL: the file with the certificate of its CA. Or set NODE_EXTRA_CA_CERTS to that file.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'Write a name that is in the certificate of Postgres as the host in the URL. Or set sslmode to verify-ca, which does not compare names.',
  ],
  [/CERT|CRL|TLS|SSL|INVALID_CA/, 'Check the certificate of Postgres, and sslmode in the URL.'],
]

/** @param error that ended or delays a start @returns undefined if its message already says what to do */
export function adviceFor(error: unknown): string | undefined {
  if (error instanceof NotMigratedError) return undefined
  const known = toDatabaseError(error)
  const cause = known instanceof ServiceError && typeof known.cause === 'string' ? known.cause : ''
  // It may be followed by what Postgres said.
  const code = known instanceof DatabaseError ? known.code : cause.replace(/:.*/s, '')
  return (
    ADVICE.find(([pattern]) => pattern.test(code))?.[1] ??
    'The log of Postgres may say more. Is it running, and is the URL right?'
  )
}
