import type { Sql } from 'postgres'
import { ServiceError } from '../errors.ts'
import { type Address, type ClientOptions, createClient, STATEMENT_TIMEOUT } from './client.ts'
import type { Statement, TextRow } from './statement.ts'

/** Milliseconds that a caller waits for a statement, the wait for a connection included. */
export const DEADLINE = 8_000
/** Milliseconds after which a statement without an answer means that its connection is dead, since Postgres would have ended it. */
const SILENCE = STATEMENT_TIMEOUT + 2_000

export interface Pool {
  /** @throws what the driver throws; ServiceError TIMEOUT when no connection was free before the deadline */
  query(statement: Statement): Promise<TextRow[]>
  close(): Promise<void>
}

/** A client with its one connection. */
interface Connection {
  client: Sql
  isRetired: boolean
}

/**
 * Up to `size` connections, each of which runs one statement at a time, so that none waits behind a slow one.
 *
 * A connection that was lost, or on which a statement has failed, is never used again. The driver (postgres.js 3.4.9) takes things
 * over from it otherwise: bytes that were yet to be written, after which nothing is ever sent again (porsager/postgres#1130), the
 * error of the old connection for the next statement, or the place of the last row, so that the next result begins with holes
 * (#1119). And it waits for ever on a peer that has vanished (#1089).
 */
export function createPool(
  address: Address,
  { size, ...options }: { size: number } & Pick<ClientOptions, 'onnotify'>,
): Pool {
  const connections = new Set<Connection>()
  /** Of these, those that run nothing; the last used is used first. */
  const idle: Connection[] = []
  const waiting: { statement: Statement; since: number; settle: PromiseWithResolvers<TextRow[]> }[] = []
  let running = 0

  function connect(): Connection {
    const connection: Connection = {
      client: createClient(address, { ...options, onclose: () => retire(connection) }),
      isRetired: false,
    }
    connections.add(connection)
    return connection
  }

  function retire(connection: Connection): void {
    if (connection.isRetired) return
    connection.isRetired = true
    connections.delete(connection)
    if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1)
    // What is still under way on it fails now.
    void connection.client.end({ timeout: 0 })
  }

  function startWaiting(): void {
    while (running < size) {
      const next = waiting.shift()
      if (!next) return
      // Its caller has been told that it was not done: so it must not be.
      if (performance.now() - next.since >= DEADLINE) next.settle.reject(new ServiceError('TIMEOUT'))
      else void run(next.statement).then(next.settle.resolve, next.settle.reject)
    }
  }

  async function run({ text, parameters, comesAgain: prepare }: Statement): Promise<TextRow[]> {
    running += 1
    const connection = idle.pop() ?? connect()
    const silence = setTimeout(() => retire(connection), SILENCE)
    try {
      const query = connection.client.unsafe<Record<string, string | null>[]>(text, [...parameters], {
        prepare,
      })
      // Where it was made: of each that fails the driver would keep that for good.
      void Object.defineProperty(query, 'origin', { value: '' })
      return await query.values()
    } catch (error) {
      retire(connection)
      throw error
    } finally {
      clearTimeout(silence)
      running -= 1
      if (!connection.isRetired) idle.push(connection)
      startWaiting()
    }
  }

  return {
    query(statement) {
      const settle = Promise.withResolvers<TextRow[]>()
      waiting.push({ statement, since: performance.now(), settle })
      startWaiting()
      return settle.promise
    },
    async close() {
      for (const { settle } of waiting.splice(0)) settle.reject(new ServiceError('DATABASE_UNAVAILABLE'))
      await Promise.all(Array.from(connections, ({ client }) => client.end({ timeout: 2 })))
    },
  }
}
