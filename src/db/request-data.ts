import type { RequestMemory } from '../base/request-memory.ts'
import type { Database } from './database.ts'
import type { Statement, TextRow } from './postgres/statement.ts'
import type { StatementOwner } from './postgres/statement-queue.ts'
import type { Target } from './standbys/targets.ts'
import type { WalPosition } from './standbys/wal-position.ts'

/** One request's access to the database. */
export class RequestData implements StatementOwner {
  readonly database: Database
  /** Sent to another server, it shows what this request has written or seen; null: there is nothing, or there are no standbys. */
  consistencyToken: string | null = null
  readonly clientName: string
  readonly memory: RequestMemory
  readonly #sentToken: string | undefined
  #target: Target

  /** @param sentToken the consistency token that the client sent */
  constructor(database: Database, clientName: string, memory: RequestMemory, sentToken?: string) {
    this.database = database
    this.#target = database.targets.primary
    this.clientName = clientName
    this.memory = memory
    this.#sentToken = sentToken
  }

  /** Where its statements go: the primary, or while `run` runs a query a standby. */
  get target(): Target {
    return this.#target
  }

  get isGone(): boolean {
    return this.memory.response.isClosed
  }

  /** Runs a statement for this request alone, within its share of the connections. @throws like Database.query */
  query(statement: Statement): Promise<TextRow[]> {
    return this.#target.query(statement, { owner: this })
  }

  /**
   * Runs an operation: chooses where it reads, and records what it may have seen or has written, so that later queries with the same
   * key see that, too. Without standbys there is nothing to choose or to record.
   */
  async run<Result>(
    operate: () => Result | Promise<Result>,
    { writes }: { writes: boolean },
  ): Promise<Result> {
    const { targets } = this.database
    if (writes) {
      try {
        return await operate()
      } finally {
        this.consistencyToken = targets.recordWrites(this.clientName)
      }
    }
    const chosen = targets.targetFor(this.clientName, this.#sentToken)
    this.#target = chosen instanceof Promise ? await chosen : chosen
    const result = operate()
    // What is there at once was not read from the database.
    if (!(result instanceof Promise)) return result
    try {
      return await result
    } finally {
      const { position } = this.#target
      if (position) this.recordSeen(position)
    }
  }

  /** From now on, queries with the same key see everything that was committed before this call. @throws like Database.query */
  async requireLatest(): Promise<void> {
    const position = await this.database.targets.readPosition()
    if (position) this.recordSeen(position)
  }

  /** From now on, queries with the same key see everything up to this position. */
  recordSeen(position: WalPosition): void {
    this.consistencyToken = this.database.targets.recordSeen(this.clientName, position)
  }
}
