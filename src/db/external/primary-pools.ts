import { setTimeout } from 'node:timers/promises'
import type { Observe } from '../../base/observation.ts'
import { Availability } from '../postgres/pool/availability.ts'
import type { Hosts } from '../postgres/connections/hosts.ts'
import { Pool, type PoolOptions } from '../postgres/pool/pool.ts'
import { queryBeside } from '../postgres/pool/query-beside.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
import { isRefusal } from '../postgres/postgres-errors.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'

/** The number of reserved connections; the second one is opened only while the first is busy. */
const RESERVED_CONNECTIONS = 2

/** Attempts to connect beside the pools while Postgres refuses that, and the milliseconds between them: it still counts those just closed. */
const MAX_CONNECT_ATTEMPTS = 20
const CONNECT_RETRY_DELAY_MS = 100

interface PrimaryPoolsOptions {
  /** The number of connections for requests. */
  size: number
  /** Told of all statements, but polls. */
  observeStatements: Observe | null
  /** Told that the primary is lost, and that it is back. */
  onAvailability: Observe
  /** As that of a pool, for the statements of requests. */
  onFault: NonNullable<PoolOptions['onFault']>
}

/**
 * The connections to the primary, besides dedicated ones. What requests or reserved statements notice of the server holds for the others, too.
 *
 * If Postgres refuses a connection, because it has too many:
 * - the statement of a request waits for an open connection (`Pool`)
 * - a reserved statement runs on a connection for requests (`queryReserved`, `queryAnew`); so does a poll of the primary (standbys/polls.ts)
 * - the listener, which has a connection of its own, gets the place of one of theirs (`connectBeside`)
 */
export class PrimaryPools {
  /** Those for the statements of requests. */
  readonly requests: Pool
  /** One for the polls of the primary, which wait for no other statement, and have a time limit of their own (standbys/polls.ts). */
  readonly polls: Pool
  /** Those that no request waits for; `queryReserved` uses them. */
  readonly #reserved: Pool

  constructor(hosts: Hosts, { size, observeStatements, onAvailability, onFault }: PrimaryPoolsOptions) {
    const isAnyOpen = () => this.requests.isAnyOpen || this.#reserved.isAnyOpen
    const availability = new Availability(isAnyOpen, onAvailability)
    this.requests = new Pool(hosts, {
      size,
      observe: observeStatements,
      availability,
      onFault,
      onServerLost: () => this.#reserved.closeIdle(),
    })
    this.#reserved = new Pool(hosts, {
      size: RESERVED_CONNECTIONS,
      observe: observeStatements,
      availability,
      // No `onFault`: what it starts is a check, which is itself a reserved statement.
      onServerLost: () => this.requests.closeIdle(),
    })
    // Not observed: there are two each second.
    this.polls = new Pool(hosts, { size: 1 })
  }

  /** Runs a statement on a reserved connection, if Postgres allows one; otherwise, on one for requests. @throws as Pool.query */
  queryReserved(statement: Statement): Promise<TextRow[]> {
    return queryBeside(this.#reserved, this.requests, statement)
  }

  /** The same on a connection that has been opened since the call: whether a connection may write is decided then (StateWatch). */
  queryAnew(statement: Statement): Promise<TextRow[]> {
    this.#reserved.retireAll()
    const requests: StatementTarget = {
      query: (refused) => {
        this.requests.retireAll()
        return this.requests.query(refused)
      },
    }
    return queryBeside(this.#reserved, requests, statement)
  }

  /**
   * Connects what needs a connection of its own. If Postgres refuses that, the pools, which would otherwise keep all connections, give
   * one up.
   * @param signal ends the attempts
   * @throws as `connect`
   */
  async connectBeside(connect: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await connect()
        return
      } catch (error) {
        if (!isRefusal(error) || attempt === MAX_CONNECT_ATTEMPTS) throw error
        this.#reserved.closeIdle()
        // Once: its place stays free, but Postgres may take a moment to notice that.
        if (attempt === 1) await this.requests.giveUpOne()
        await setTimeout(CONNECT_RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined)
        signal.throwIfAborted()
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.requests, this.#reserved, this.polls].map((pool) => pool.close()))
  }
}
