/** The variables of the database: what their URLs may contain, and which parameters are ours, not the driver's. */
import { createEnvReader, type Report } from './env.ts'

export type DatabaseConfig = PostgresConfig | { kind: 'embedded'; directory: string }

/** The URLs of an external Postgres. If one has several hosts, everything follows the primary. */
export interface PostgresConfig {
  kind: 'postgres'
  /** DATABASE_URL: for the statements of requests; may go through a pooler in transaction mode. */
  url: string
  /** DATABASE_LISTEN_URL: for what needs a session of its own: LISTEN, migrations, import and export; null: `url` has sessions. */
  sessionUrl: string | null
  /** Standbys for reads; if none, the primary answers them. */
  standbys: readonly StandbyConfig[]
}

export type DatabaseVariable = 'DATABASE_URL' | 'DATABASE_LISTEN_URL'

/** The variable with the URL for what needs a session. */
export function sessionVariableOf(database: DatabaseConfig | Omit<PostgresConfig, 'kind'>): DatabaseVariable {
  return 'sessionUrl' in database && database.sessionUrl !== null ? 'DATABASE_LISTEN_URL' : 'DATABASE_URL'
}

/** A streaming standby that answers reads. */
export interface StandbyConfig {
  url: string
  /** How many seconds its replay may lag before it is left out. */
  maxLag: number
}

/** @param problems receives a sentence about each invalid variable */
export function readDatabase(env: NodeJS.ProcessEnv, problems: string[]): DatabaseConfig {
  if (!env.DATABASE_URL) {
    for (const variable of ['DATABASE_LISTEN_URL', 'DATABASE_READ_URL'])
      if (env[variable]) problems.push(`DATABASE_URL must be set, since ${variable} is`)
    return { kind: 'embedded', directory: env.DATA_DIR || '.data' }
  }
  const read = createEnvReader(env, problems)
  const url = read('DATABASE_URL', '', parseDatabaseUrl)
  return {
    kind: 'postgres',
    url,
    sessionUrl: read('DATABASE_LISTEN_URL', url, (text, report) => parseSessionUrl(text, url, report)),
    standbys: read('DATABASE_READ_URL', '', parseReadUrls),
  }
}

export function parseDatabaseUrl(text: string, report: Report): string {
  const urls = splitHosts(text).map((url) => URL.parse(url))
  if (text.includes('#')) {
    report(ENCODED_URL)
  } else if (!urls.every(isPostgres) || (urls.length > 1 && urls.some((url) => !url?.hostname))) {
    const expected = 'a URL like postgres://user:password@host:5432/database'
    report(`${expected}; several hosts are written host1:5432,host2:5432`)
  } else if (!urls.every(isEncoded)) {
    report(ENCODED_URL)
  } else if (!['transaction', null].includes(urls[0]?.searchParams.get('pooler') ?? null)) {
    report('a URL whose parameter pooler is transaction, or absent')
  } else if (!urls.every(hasSslMode)) {
    report(SSL_MODE_URL)
  }
  return text
}

/** @returns null if it is the same as DATABASE_URL */
function parseSessionUrl(text: string, url: string, report: Report): string | null {
  if (usesPooler(text))
    report(
      'a URL of the same database that bypasses the pooler, since LISTEN and migrations need their own session',
    )
  return text === url ? null : parseDatabaseUrl(text, report)
}

/**
 * The standbys in DATABASE_READ_URL: URLs separated by spaces. Each names one server, because what one has replayed says nothing
 * about another; a pooler would hide which one answers, and when that restarts.
 */
export function parseReadUrls(text: string, report: Report): StandbyConfig[] {
  const texts = text.split(/\s+/).filter((url) => url !== '')
  return texts.map((text) => {
    const url = URL.parse(text)
    const maxLag = url?.searchParams.get('max_lag') ?? '10'
    // With commas between them, the second one would be part of the first one's path.
    const isOne = url !== null && splitHosts(text).length === 1 && !url.pathname.includes('/', 1)
    if (text.includes('#')) {
      report(ENCODED_URL)
    } else if (!isOne || !isPostgres(url) || !url.hostname) {
      const expected = 'URLs like postgres://user:password@standby:5432/database, separated by spaces'
      report(`${expected}, each with one host`)
    } else if (!isEncoded(url)) {
      report(ENCODED_URL)
    } else if (url.searchParams.has('pooler')) {
      report('URLs of the standbys themselves, without the parameter pooler')
    } else if (!hasSslMode(url)) {
      report(SSL_MODE_URL)
    } else if (!/^[1-9]\d{0,4}$/.test(maxLag)) {
      report('URLs whose parameter max_lag is an integer from 1 to 99999, in seconds')
    }
    url?.searchParams.delete('max_lag')
    return { url: url?.href ?? text, maxLag: Number(maxLag) }
  })
}

const ENCODED_URL = 'a URL whose user, password and host are percent-encoded: % is written %25, and # %23'

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']
const SSL_MODE_URL = `a URL whose parameter sslmode is absent, or one of ${SSL_MODES.join(', ')}`

/** Whether sslmode is one of libpq's. With any other, the driver would check a certificate for another host than the URL's. */
function hasSslMode(url: URL | null): boolean {
  const mode = url?.searchParams.get('sslmode') ?? null
  return mode === null || SSL_MODES.includes(mode)
}

/** Whether the parts that the driver decodes can be decoded. */
function isEncoded(url: URL | null): boolean {
  try {
    for (const part of [url?.username, url?.password, url?.hostname]) decodeURIComponent(part ?? '')
    return true
  } catch {
    return false
  }
}

function isPostgres(url: URL | null): boolean {
  return url !== null && ['postgres:', 'postgresql:'].includes(url.protocol)
}

/**
 * Splits a URL with several hosts, which `URL` cannot parse, into one for each: `postgres://user@one:5432,two:5432/database`.
 * @returns the URL itself if it has one host
 */
export function splitHosts(url: string): string[] {
  const [, start = '', hosts = '', end = ''] = /^([^:/?#]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => `${start}${host}${end}`) : [url]
}

/** Whether a URL goes through a pooler such as PgBouncer, where each transaction may use a different connection to Postgres. */
export function usesPooler(url: string): boolean {
  return URL.parse(splitHosts(url)[0] ?? '')?.searchParams.get('pooler') === 'transaction'
}
