import type { Hosts } from './postgres/hosts.ts'
import { Pool, type PoolOptions } from './postgres/pool.ts'
import { findDatabaseError } from './postgres/postgres-errors.ts'
import type { Statement, TextRow } from './postgres/statement.ts'

/** The number of reserved connections; the second one is opened only while the first is busy. */
const RESERVED_CONNECTIONS = 2

/** The connections to the primary. What one pool notices of the server holds for the other. */
export class PrimaryPools {
  /** Those for the statements of requests. */
  readonly requests: Pool
  /** Those that no request waits for. */
  readonly reserved: Pool

  /** @param options those of the pool for requests */
  constructor(hosts: Hosts, options: Omit<PoolOptions, 'onServerLost'>) {
    const { observe = null } = options
    this.requests = new Pool(hosts, { ...options, onServerLost: () => this.reserved.closeIdle() })
    this.reserved = new Pool(hosts, {
      size: RESERVED_CONNECTIONS,
      observe,
      onServerLost: () => this.requests.closeIdle(),
    })
  }

  /** Runs a statement on a reserved connection, if Postgres allows one. @throws as Pool.query */
  async queryReserved(statement: Statement): Promise<TextRow[]> {
    return this.reserved.query(statement).catch((error: unknown) => {
      // It may allow no more connections than those for requests.
      if (findDatabaseError(error)?.kind !== 'refused connection') throw error
      return this.requests.query(statement)
    })
  }

  async close(): Promise<void> {
    await Promise.all([this.requests.close(), this.reserved.close()])
  }
}
