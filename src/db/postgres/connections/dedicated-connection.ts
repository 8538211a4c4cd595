import { addAbortListener } from 'node:events'
import { sql } from 'drizzle-orm'
import { createDb } from '../drizzle.ts'
import { fixedStatement, type Statement, type TextRow } from '../statement.ts'
import { Connection } from './connection.ts'
import type { Hosts } from './hosts.ts'

const begin = fixedStatement('begin', sql`begin`)
const commit = fixedStatement('commit', sql`commit`)

interface DedicatedOptions {
  /** Whether its statements have the usual time limits (time-limits.ts): by default, they may take as long as they want. */
  hasTimeLimit?: boolean
  /** Destroys it. */
  signal?: AbortSignal
}

/** A `Connection` for one caller, which may hold a transaction: a migration, an import, an export. It knows whether that was committed. */
export class DedicatedConnection {
  /** Drizzle over `query`. */
  readonly db = createDb(this)
  readonly #connection: Connection
  #hasSentCommit = false

  constructor(hosts: Hosts, { hasTimeLimit = false, signal }: DedicatedOptions = {}) {
    const listening = signal && addAbortListener(signal, () => this.#connection.destroy())
    const onClosed = () => listening?.[Symbol.dispose]()
    this.#connection = new Connection(hosts, onClosed, { hasTimeLimit })
  }

  /** Runs one statement at a time. @throws as Database.query, but never OVERLOADED */
  query(statement: Statement): Promise<TextRow[]> {
    return this.#connection.run(statement)
  }

  /** Whether the commit of the last transaction has been sent. If that has failed, it may have been committed, or not. */
  get hasSentCommit(): boolean {
    return this.#hasSentCommit
  }

  /** Runs statements as one transaction. After an error the connection is closed, which rolls it back. @returns what `run` returns */
  async transaction<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#hasSentCommit = false
    try {
      await this.query(begin)
      const result = await run()
      this.#hasSentCommit = !this.#connection.isDestroyed
      await this.query(commit)
      return result
    } catch (error) {
      this.#connection.destroy()
      throw error
    }
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
  }
}
