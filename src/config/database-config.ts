/** The variables of the database. */
import type { DatabaseVariable } from '../base/database-variable.ts'
import { formatHostPort } from '../base/host-port.ts'
import { parseDatabaseUrl, parseUrlWithParameters, type PostgresAddress } from './database-url.ts'
import { type Environment, Invalid } from './environment.ts'
import { integer } from './variable-parsers.ts'

export type DatabaseConfig = PostgresConfig | { kind: 'embedded'; directory: string }

/** An external Postgres. If a variable names several hosts, all connections go to the primary. */
export interface PostgresConfig {
  kind: 'postgres'
  /** DATABASE_URL: for the statements of requests; may go through a pooler in transaction mode. */
  hosts: readonly PostgresAddress[]
  /** DATABASE_LISTEN_URL: for what needs a connection of its own: LISTEN, migrations, import, export; null: as DATABASE_URL. */
  directHosts: readonly PostgresAddress[] | null
  /** Standbys for reads; if none, the primary answers them. */
  standbys: readonly StandbyConfig[]
  /** The maximum number of connections for statements to one Postgres. */
  connections: number
}

/** The variable that says where the statements of requests go. */
export function variableOf({ kind }: DatabaseConfig): DatabaseVariable {
  return kind === 'embedded' ? 'DATA_DIR' : 'DATABASE_URL'
}

/** The one that says where dedicated connections go. */
export function dedicatedVariableOf(database: DatabaseConfig): DatabaseVariable {
  return database.kind === 'postgres' && database.directHosts !== null
    ? 'DATABASE_LISTEN_URL'
    : variableOf(database)
}

/** What messages call a database, without its password. @param variable the one that says where it is */
export function nameDatabase(database: DatabaseConfig, variable: DatabaseVariable): string {
  return database.kind === 'embedded'
    ? `embedded database in ${database.directory}`
    : `database in ${variable}`
}

/** The maximum number of connections for statements, to the primary and all standbys. */
export function countConnections(database: DatabaseConfig): number {
  return database.kind === 'postgres' ? database.connections * (1 + database.standbys.length) : 1
}

/** A streaming standby that answers reads. */
export interface StandbyConfig {
  address: PostgresAddress
  /** How far its replay may lag before it is left out. */
  maxLagSeconds: number
}

export function readDatabase(env: Environment): DatabaseConfig {
  if (!env.has('DATABASE_URL')) {
    for (const variable of ['DATABASE_LISTEN_URL', 'DATABASE_READ_URL', 'DATABASE_CONNECTIONS'])
      if (env.has(variable)) env.problems.push(`DATABASE_URL must be set, since ${variable} is`)
    return { kind: 'embedded', directory: env.text('DATA_DIR') || '.data' }
  }
  const hosts = env.read('DATABASE_URL', [], parseDatabaseUrl)
  const isSame = env.text('DATABASE_LISTEN_URL') === env.text('DATABASE_URL')
  const directHosts =
    isSame || !env.has('DATABASE_LISTEN_URL') ? null : env.read('DATABASE_LISTEN_URL', [], parseDatabaseUrl)
  if ((directHosts ?? hosts).some(({ isPooled }) => isPooled))
    env.problems.push(
      'DATABASE_LISTEN_URL must be a URL of the same database that bypasses the pooler, since LISTEN and migrations need their own connection',
    )
  return {
    kind: 'postgres',
    hosts,
    directHosts,
    standbys: env.read('DATABASE_READ_URL', [], parseReadUrls),
    connections: env.read('DATABASE_CONNECTIONS', 10, integer(1, 1_000)),
  }
}

/**
 * The standbys in DATABASE_READ_URL: URLs separated by spaces.
 * @throws Invalid
 */
export function parseReadUrls(text: string): StandbyConfig[] {
  const urls = text.split(/\s+/).filter((url) => url !== '')
  const standbys = urls.map(parseStandbyUrl)
  const hosts = new Set(standbys.map(({ address }) => formatHostPort(address)))
  if (hosts.size < standbys.length) throw new Invalid('URLs of different servers')
  return standbys
}

/**
 * Each URL names one server, because what one has replayed says nothing about another; a pooler would hide which one answers, and when
 * that restarts.
 */
function parseStandbyUrl(url: string): StandbyConfig {
  const { addresses, parameters } = parseUrlWithParameters(url, ['max_lag'])
  const [address, another] = addresses
  // Without a host it would be this machine, which is no standby.
  if (!address || another || /^[^:]*:\/\/(?:[^/?]*@)?(?:[/?]|$)/.test(url))
    throw new Invalid('URLs separated by spaces, each with one host')
  if (address.isPooled) throw new Invalid('URLs of the standbys themselves, without the parameter pooler')
  const { max_lag: maxLagSeconds = '10' } = parameters
  if (!/^[1-9]\d{0,4}$/.test(maxLagSeconds))
    throw new Invalid('URLs whose parameter max_lag is an integer from 1 to 99999, in seconds')
  return { address, maxLagSeconds: Number(maxLagSeconds) }
}
