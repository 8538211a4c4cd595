import type { PostgresConfig } from '../../src/config/database-config.ts'
import { parseDatabaseUrl, type PostgresAddress } from '../../src/config/database-url.ts'
import { Hosts } from '../../src/db/postgres/connections/hosts.ts'

/** The addresses in a database URL, one for each host. */
export function toAddresses(url: string): PostgresAddress[] {
  return parseDatabaseUrl(url)
}

/** The address in a database URL with one host. */
export function toAddress(url: string): PostgresAddress {
  const [address] = toAddresses(url)
  if (!address) throw new Error('There is no address')
  return address
}

/** The hosts in a database URL, among which a connection finds the primary. */
export function toHosts(url: string): Hosts {
  return new Hosts(toAddresses(url))
}

/** The configuration in which only DATABASE_URL is set. */
export function toConfig(url: string): PostgresConfig {
  return { kind: 'postgres', hosts: toAddresses(url), directHosts: null, standbys: [], connections: 10 }
}
