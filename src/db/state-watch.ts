import type { Observe } from '../base/observation.ts'
import { type Abilities, askState, type DatabaseState, type Impairment } from './database-state.ts'
import { READ_ONLY } from './postgres/error-codes.ts'
import type { Pool, Queryable } from './postgres/pool.ts'
import type { DatabaseFailure } from './postgres/postgres-errors.ts'

/** Milliseconds between two looks into faults. */
const FAULT_INTERVAL_MS = 1_000

interface StateWatchOptions {
  /** Those of the resources. */
  tables: readonly string[]
  /** Asks over connections that no request waits for. @throws ServiceError DATABASE_UNAVAILABLE if the database is not open */
  query: Queryable['query']
  pools: { reserved: Pick<Pool, 'closeIdle'>; requests: Pick<Pool, 'closeIdle' | 'query'> }
}

/** Asks for the state of an open database, reports each problem once, and closes the connections that cannot get over it. */
export class StateWatch {
  readonly #options: StateWatchOptions
  #abilities: Abilities = { mayIdentify: false, hasTriggers: true }
  #observe: Observe | null = null
  /** When a fault was last looked into (performance.now()). */
  #faultAt = -Infinity
  /** What was last found. */
  #isReadOnly = false
  #checking: Promise<DatabaseState> | null = null
  #impairments: readonly Impairment[] = []

  constructor(options: StateWatchOptions) {
    this.#options = options
  }

  /** Begins with the state that a database has when it is opened. @returns when that is known */
  async start(abilities: Abilities, observe: Observe | null): Promise<void> {
    this.#abilities = abilities
    this.#observe = observe
    const { requests } = this.#options.pools
    const state = await this.ask((statement) => requests.query(statement))
    this.#isReadOnly = state.isReadOnly
    this.#report(state.impairments)
  }

  /** @param query over any connection to the database */
  ask(query: Queryable['query']): Promise<DatabaseState> {
    return askState(query, { tables: this.#options.tables, ...this.#abilities })
  }

  /** As `Database.check`. Callers at the same time share one answer: anybody may ask, and often (`/readyz`). */
  check(): Promise<DatabaseState> {
    return (this.#checking ??= this.#check().finally(() => (this.#checking = null)))
  }

  async #check(): Promise<DatabaseState> {
    const { query, pools } = this.#options
    const state = await this.ask(query)
    // Whether a connection may write is decided when it is opened, so the next check needs a new one.
    if (state.isReadOnly) pools.reserved.closeIdle()
    else if (this.#isReadOnly) pools.requests.closeIdle()
    this.#isReadOnly = state.isReadOnly
    this.#report(state.impairments)
    return state
  }

  /** Finds out what is wrong after the statement of a request has failed. */
  onFault({ sqlstate }: DatabaseFailure): void {
    if (performance.now() - this.#faultAt < FAULT_INTERVAL_MS) return
    this.#faultAt = performance.now()
    const { reserved, requests } = this.#options.pools
    // The other connections may have the same prepared statements, whose types were made again.
    if (sqlstate.startsWith('XX')) requests.closeIdle()
    // Those that are open already may still accept writes, so that the check would find nothing.
    if (sqlstate === READ_ONLY) reserved.closeIdle()
    this.check().catch(() => undefined)
  }

  #report(found: readonly Impairment[]): void {
    const before = this.#impairments
    this.#impairments = found
    for (const impairment of found)
      if (!before.includes(impairment)) this.#observe?.({ type: 'database impaired', ...impairment })
    for (const { problem } of before.filter((impairment) => !found.includes(impairment)))
      this.#observe?.({ type: 'database repaired', problem })
  }
}
