/** Database URLs, as libpq reads them. docs/postgres.md lists their parameters. */
import { isIPv6 } from 'node:net'
import { userInfo } from 'node:os'
import { readCertificates } from '../base/certificates.ts'
import { messageOf } from '../base/thrown.ts'
import { Invalid } from './environment.ts'

/** One Postgres, and how to connect to it. All strings are decoded. */
export interface PostgresAddress {
  host: string
  port: number
  user: string
  password: string
  database: string
  sslmode: SslMode
  /** Who may have signed its certificate: certificates in PEM; absent: those that Node trusts. */
  authorities?: string | undefined
  /** Whether a pooler is in between, which may run each transaction on a different connection to Postgres. */
  isPooled: boolean
  /** Whether statements stay prepared on a connection. */
  prepares: boolean
  /** Command-line options for Postgres, such as `-c search_path=shop`; empty: none. */
  options: string
  /** The Unix socket of an embedded database, which is used instead of the host and the port. */
  socketPath?: string
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

/** The parameters that a URL may have, and their values; null: any. */
export const URL_PARAMETERS: Readonly<Record<string, readonly string[] | null>> = {
  sslmode: SSL_MODES,
  ssl: ['true', 'false'],
  sslrootcert: null,
  pooler: ['transaction'],
  prepare: ['true', 'false'],
  options: null,
  // The rest is ignored: other programs that share the URL may need it.
  application_name: null,
  channel_binding: ['disable', 'prefer', 'require'],
  client_encoding: null,
  connect_timeout: null,
  fallback_application_name: null,
  gssencmode: ['disable', 'prefer'],
  keepalives: null,
  keepalives_count: null,
  keepalives_idle: null,
  keepalives_interval: null,
  load_balance_hosts: ['disable', 'random'],
  sslnegotiation: ['postgres'],
  sslsni: ['0', '1'],
  statement_timeout: null,
  target_session_attrs: ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'],
  tcp_user_timeout: null,
}

const EXAMPLE = 'a URL like postgres://user:password@host:5432/database'
const SEVERAL_HOSTS = `${EXAMPLE}; several hosts are written host1:5432,host2:5432`
const ENCODED = 'a URL whose parts are percent-encoded: % is written %25, # %23, / %2F, ? %3F and @ %40'

/**
 * @param text may have several hosts: postgres://user@one:5432,two:5432/database
 * @returns an address for each
 * @throws Invalid
 */
export function parseDatabaseUrl(text: string): PostgresAddress[] {
  return parseUrlWithParameters(text, []).addresses
}

/**
 * Parses a URL that may have further parameters, whose meaning is the caller's.
 * @param ownParameters their names
 * @returns an address for each host, and all parameters, decoded: of several with one name, the last
 * @throws Invalid
 */
export function parseUrlWithParameters(text: string, ownParameters: readonly string[]) {
  const [, login = '', hosts, path = '', query = ''] =
    /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/is.exec(text) ?? []
  if (text.includes('#') || path.includes('/')) throw new Invalid(ENCODED)
  if (hosts === undefined) throw new Invalid(SEVERAL_HOSTS)
  const [, user = '', password = ''] = (/^([^:]*):?(.*)$/s.exec(login) ?? []).map(decode)
  const parameters = parseParameters(query, ownParameters)
  const common = {
    user: user || currentUser(),
    password,
    database: decode(path) || user || currentUser(),
    ...readConnectionSettings(parameters),
  }
  const addresses = (hosts === '' ? 'localhost' : hosts)
    .split(',')
    .map((host): PostgresAddress => ({ ...parseHostAndPort(host), ...common }))
  return { addresses, parameters }
}

/** @throws Invalid */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Invalid(ENCODED)
  }
}

/** As for libpq, the user is by default the one that this process runs as. */
function currentUser(): string {
  try {
    return userInfo().username
  } catch {
    throw new Invalid(`${EXAMPLE}, with a user`)
  }
}

/** @param text like localhost, 10.0.0.1:5432 or [::1]:5432 */
function parseHostAndPort(text: string): { host: string; port: number } {
  const [, ipv6, name, digits = '5432'] = /^(?:\[(.+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = decode(ipv6 ?? name ?? '')
  const port = Number(digits)
  if (host.includes('/')) throw new Invalid(`${EXAMPLE}; Unix sockets are not supported`)
  if (!(ipv6 === undefined ? /^[^\s:]+$/.test(host) : isIPv6(host)) || port < 1 || port > 65_535)
    throw new Invalid(SEVERAL_HOSTS)
  return { host, port }
}

/** @throws Invalid */
function parseParameters(query: string, ownParameters: readonly string[]): Record<string, string> {
  // As in libpq, + is not a space.
  const parameters = Object.fromEntries(new URLSearchParams(query.replaceAll('+', '%2B')))
  for (const [name, value] of Object.entries(parameters)) {
    if (ownParameters.includes(name)) continue
    if (!Object.hasOwn(URL_PARAMETERS, name))
      // Before an @, it may be the rest of a password with a ?, which must not be printed.
      throw new Invalid(
        query.includes('@') ? ENCODED : `a URL without the parameter ${name}, which is unknown here`,
      )
    const values = URL_PARAMETERS[name]
    if (values && !values.includes(value))
      throw new Invalid(`a URL whose parameter ${name} is absent, or one of ${values.join(', ')}`)
  }
  return parameters
}

/** @throws Invalid */
function readConnectionSettings(parameters: Record<string, string>) {
  const { sslrootcert, pooler, prepare, options = '' } = parameters
  const isPooled = pooler !== undefined
  return {
    sslmode: readSslMode(parameters),
    authorities: readAuthorities(sslrootcert),
    isPooled,
    // PgBouncer tracks them since 1.21, if max_prepared_statements is set.
    prepares: isPooled ? prepare === 'true' : prepare !== 'false',
    options,
  }
}

function readSslMode({ sslmode, ssl, sslrootcert }: Record<string, string>): SslMode {
  if (sslrootcert === 'system') return 'verify-full'
  const mode = SSL_MODES.find((one) => one === sslmode) ?? (ssl === 'true' ? 'require' : null)
  if (sslrootcert === undefined) return mode ?? 'disable'
  // As in libpq, for which `require` with a root certificate is `verify-ca`.
  return mode === 'require' ? 'verify-ca' : (mode ?? 'verify-full')
}

/** @param path the value of `sslrootcert` @throws Invalid */
function readAuthorities(path: string | undefined): string | undefined {
  if (path === undefined || path === 'system') return undefined
  try {
    return readCertificates(path)
  } catch (error) {
    throw new Invalid(
      `a URL whose parameter sslrootcert is system, or a file of certificates; it is not: ${messageOf(error)}`,
    )
  }
}
