import { sql } from 'drizzle-orm'
import { Connection } from './connection.ts'
import { createDb } from './drizzle.ts'
import type { Hosts } from './hosts.ts'
import { toDatabaseError } from './postgres-errors.ts'
import { fixedStatement, type Statement, type TextRow } from './statement.ts'

const begin = fixedStatement('begin', sql`begin`)
const commit = fixedStatement('commit', sql`commit`)

/** A connection for one caller, which may hold a transaction: a migration, an import, an export. Its statements have no time limit. */
export class DedicatedConnection extends Connection {
  /** Drizzle over `query`. */
  readonly db = createDb(this)
  #mayHaveCommitted = false

  /** @param onClosed called when it was closed or lost */
  constructor(hosts: Hosts, onClosed: () => void = () => undefined) {
    super(hosts, onClosed, { hasTimeLimit: false })
  }

  /** As `run`. @throws as Database.query, but never OVERLOADED */
  async query(statement: Statement): Promise<TextRow[]> {
    try {
      return await this.run(statement)
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  /** Whether the commit of a transaction has been sent. If the connection is lost then, it may have been committed, or not. */
  get mayHaveCommitted(): boolean {
    return this.#mayHaveCommitted
  }

  /** Runs statements as one transaction. After an error the connection is closed, which rolls it back. */
  async transaction(run: () => Promise<void>): Promise<void> {
    try {
      await this.query(begin)
      await run()
      this.#mayHaveCommitted = true
      await this.query(commit)
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
