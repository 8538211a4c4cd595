import type { Observe } from '../../base/observation.ts'
import { askState, type DatabaseState, type DatabaseTraits, type Impairment } from '../database-state.ts'
import { CODES } from '../postgres/error-codes.ts'
import type { Pool } from '../postgres/pool/pool.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
import type { DatabaseServiceError } from '../postgres/postgres-errors.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'
import type { PrimaryPools } from './primary-pools.ts'

/** Milliseconds between two looks into faults with the same SQLSTATE. */
const FAULT_INTERVAL_MS = 1_000

interface StateWatchOptions {
  /** Those of the resources. */
  tables: readonly string[]
  traits: DatabaseTraits
  /** What the database has answered when it was opened. */
  state: DatabaseState
  pools: Pick<PrimaryPools, 'queryReserved' | 'queryAnew'> & { requests: Pick<Pool, 'retireAll'> }
  /** Told of problems, and of their end. */
  observeDatabase: Observe | null
}

/**
 * Asks an open database for its state (database-state.ts) when `/readyz` or the listener wants it, and after a statement has failed. Reports
 * each problem once, and retires the connections that cannot get over it.
 */
export class StateWatch {
  readonly #options: StateWatchOptions
  /** When the faults of each SQLSTATE were last looked into (performance.now()). */
  readonly #lookedAt = new Map<string, number>()
  #checking: Promise<DatabaseState> | null = null
  /** Whether writes were not accepted, as the last check, or a fault since then, has shown. */
  #isReadOnly: boolean
  /** How often a fault has shown that. */
  #readOnlyFaults = 0
  /** What the last check has found. */
  #impairments: readonly Impairment[] = []

  constructor(options: StateWatchOptions) {
    this.#options = options
    this.#isReadOnly = options.state.isReadOnly
    this.#report(options.state.impairments)
  }

  /** @param target any connection to the database */
  askOver(target: StatementTarget): Promise<DatabaseState> {
    const { tables, traits } = this.#options
    return askState(target, tables, traits)
  }

  /** As `Database.check`. Callers at the same time share one answer: anybody may ask, and often (`/readyz`). */
  check(): Promise<DatabaseState> {
    return (this.#checking ??= this.#askPrimary().finally(() => (this.#checking = null)))
  }

  async #askPrimary(): Promise<DatabaseState> {
    const faultsBefore = this.#readOnlyFaults
    const state = await this.askOver({ query: (statement) => this.#query(statement) })
    if (state.isReadOnly) this.#isReadOnly = true
    // A fault since then may be newer than the answer: the next check decides.
    else if (this.#isReadOnly && this.#readOnlyFaults === faultsBefore) {
      this.#isReadOnly = false
      this.#options.pools.requests.retireAll()
    }
    this.#report(state.impairments)
    return state
  }

  /**
   * Whether a connection may write is decided when it is opened: while it may not, a new one is asked, at each check. One from a second ago
   * may lead to the database before a switch, whose place the listener would take for the current one.
   */
  #query(statement: Statement): Promise<TextRow[]> {
    const { pools } = this.#options
    return this.#isReadOnly ? pools.queryAnew(statement) : pools.queryReserved(statement)
  }

  /** Finds out what is wrong after the statement of a request has failed. */
  onFault({ databaseCode }: DatabaseServiceError): void {
    if (databaseCode === CODES.READ_ONLY_SQL_TRANSACTION) {
      this.#isReadOnly = true
      this.#readOnlyFaults += 1
    }
    if (performance.now() - (this.#lookedAt.get(databaseCode) ?? -Infinity) < FAULT_INTERVAL_MS) return
    this.#lookedAt.set(databaseCode, performance.now())
    const { pools, traits } = this.#options
    // The other connections may have the same prepared statements, whose types were made again. On Citus, a worker may have failed instead,
    // for as long as it will: there, each connection finds out by itself.
    if (databaseCode === CODES.INTERNAL_ERROR && !traits.isDistributed) pools.requests.retireAll()
    this.#checkAfterRunning().catch(() => undefined)
  }

  /** A check that runs already may not see the fault. */
  async #checkAfterRunning(): Promise<void> {
    if (this.#checking) await this.#checking.catch(() => undefined)
    await this.check()
  }

  #report(found: readonly Impairment[]): void {
    const before = this.#impairments
    this.#impairments = found
    const { observeDatabase } = this.#options
    for (const { problem, advice } of without(found, before))
      observeDatabase?.({ type: 'database impaired', problem, advice })
    for (const { problem } of without(before, found))
      observeDatabase?.({ type: 'database repaired', problem })
  }
}

/** Those impairments whose problem is not among others. */
function without(impairments: readonly Impairment[], others: readonly Impairment[]): Impairment[] {
  return impairments.filter(({ problem }) => !others.some((other) => other.problem === problem))
}
