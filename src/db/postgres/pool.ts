import { ServiceError } from '../../errors.ts'
import type { Address, ClientOptions } from './client.ts'
import { Connection } from './connection.ts'
import { toDatabaseError } from './errors.ts'
import type { Statement, TextRow } from './statement.ts'

/** Milliseconds that a caller waits for a statement, including the wait for a connection. */
const DEADLINE = 8_000
/** The most callers that may wait at once; without a limit, the queue could grow forever. */
const MAX_CALLERS = 1_000

interface QueuedStatement {
  statement: Statement
  /** Set when the caller has been told that it timed out; the statement must not be run after that. */
  isExpired: boolean
  succeed: (rows: TextRow[]) => void
  fail: (error: Error) => void
}

/** Up to `size` connections, each running one statement at a time, so that no statement waits behind a slow one. */
export class Pool {
  readonly #address: Address
  readonly #size: number
  readonly #options: Pick<ClientOptions, 'onnotify'>
  readonly #connections = new Set<Connection>()
  /** Idle connections; the most recently used is reused first. */
  readonly #idle: Connection[] = []
  readonly #queue: QueuedStatement[] = []
  #running = 0
  #callers = 0

  constructor(address: Address, { size, ...options }: { size: number } & Pick<ClientOptions, 'onnotify'>) {
    this.#address = address
    this.#size = size
    this.#options = options
  }

  /**
   * Runs one statement. The bounded queue, the deadline and error mapping are in here, so that nothing can bypass them.
   * @param callers how many callers wait for it
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED or TIMEOUT; DatabaseError for any other error from Postgres
   */
  query(statement: Statement, callers = 1): Promise<TextRow[]> {
    if (this.#callers + callers > MAX_CALLERS) return Promise.reject(new ServiceError('OVERLOADED'))
    this.#callers += callers
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        queued.isExpired = true
        reject(new ServiceError('TIMEOUT'))
      }, DEADLINE)
      const settle = () => {
        clearTimeout(deadline)
        this.#callers -= callers
      }
      const queued: QueuedStatement = {
        statement,
        isExpired: false,
        succeed: (rows) => {
          settle()
          resolve(rows)
        },
        fail: (error) => {
          settle()
          reject(error)
        },
      }
      this.#queue.push(queued)
      this.#startQueued()
    })
  }

  async close(): Promise<void> {
    for (const { fail } of this.#queue.splice(0)) fail(new ServiceError('DATABASE_UNAVAILABLE'))
    await Promise.all(Array.from(this.#connections, (connection) => connection.close()))
  }

  #startQueued(): void {
    while (this.#running < this.#size) {
      const next = this.#queue.shift()
      if (!next) return
      if (next.isExpired) next.fail(new ServiceError('TIMEOUT'))
      else void this.#run(next)
    }
  }

  async #run({ statement, succeed, fail }: QueuedStatement): Promise<void> {
    this.#running += 1
    try {
      const connection = this.#idle.pop() ?? this.#connect()
      const rows = await connection.run(statement)
      if (!connection.isRetired) this.#idle.push(connection)
      succeed(rows)
    } catch (error) {
      fail(toDatabaseError(error))
    }
    this.#running -= 1
    this.#startQueued()
  }

  #connect(): Connection {
    const connection = new Connection(this.#address, this.#options, () => {
      this.#connections.delete(connection)
      const index = this.#idle.indexOf(connection)
      if (index >= 0) this.#idle.splice(index, 1)
    })
    this.#connections.add(connection)
    return connection
  }
}
