import { sql } from 'drizzle-orm'
import { type Address, Connection } from './connection.ts'
import { toDatabaseError } from './errors.ts'
import { fixedStatement, type Statement, type TextRow } from './statement.ts'

const begin = fixedStatement('begin', sql`begin`)
const commit = fixedStatement('commit', sql`commit`)

/** A connection for one caller, which may hold a transaction: an import, an export, a distribution. Its statements have no time limit. */
export class SessionConnection {
  readonly #connection: Connection
  /** Rejects the statement in flight. */
  #reject: (error: Error) => void = () => undefined

  /** @param onClosed called when it was closed or lost */
  constructor(address: Address, onClosed: () => void = () => undefined) {
    const onLost = () => {
      onClosed()
      const error = Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
      // Deferred, so that what Postgres said about a failed statement comes first.
      setImmediate(() => this.#reject(error))
    }
    this.#connection = new Connection(address, onLost, { hasTimeLimit: false })
  }

  /** Runs one statement at a time. After an error, the connection is closed. @throws as Database.query, but never OVERLOADED */
  async query(statement: Statement): Promise<TextRow[]> {
    try {
      return await new Promise((resolve, reject) => {
        // The driver may never answer a statement that was sent while the connection broke.
        this.#reject = reject
        this.#connection.run(statement).then(resolve, reject)
      })
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  /** Runs statements as one transaction. After an error the connection is closed, which rolls it back. */
  async transaction(run: () => Promise<void>): Promise<void> {
    try {
      await this.query(begin)
      await run()
      await this.query(commit)
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  /** Closes the connection at once, which rolls a transaction back; a statement in flight fails. */
  destroy(): void {
    this.#connection.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
  }
}
