import type { Sql } from 'postgres'
import { type Address, type ClientOptions, createClient, STATEMENT_TIMEOUT } from './client.ts'
import { isConnectionFailure } from './failures.ts'
import type { Statement, TextRow } from './statement.ts'

/** Milliseconds after which a statement without an answer means that its connection is dead, since Postgres would have ended it. */
const SILENCE = STATEMENT_TIMEOUT + 2_000
/** Milliseconds that the other statements of a replaced client may still take. */
const GRACE = STATEMENT_TIMEOUT

export interface Pool {
  query(statement: Statement): Promise<TextRow[]>
  close(): Promise<void>
}

/** A client, and how many statements are under way on it. */
interface Connections {
  client: Sql
  running: number
}

/**
 * Up to `size` connections, each of which runs one statement at a time, so that no statement waits behind a slow one.
 *
 * When a connection ends, whatever the reason, all of them are replaced, and statements that are under way finish on the old ones.
 * For postgres.js (3.4.9) takes what was left unfinished on a connection over to the one that it opens in its place: bytes that it
 * had yet to write, so that nothing is ever sent again (porsager/postgres#1130), or an error of the old one, which the next
 * statement is told. And it waits for ever on a peer that has vanished (#1089).
 */
export function createPool(
  address: Address,
  { size, ...options }: { size: number } & Pick<ClientOptions, 'onnotify'>,
): Pool {
  let current = connect()
  let closed = false
  const waiting: (() => void)[] = []

  function connect(): Connections {
    const connections: Connections = {
      client: createClient(address, { ...options, max: size, onclose: () => replace(connections) }),
      running: 0,
    }
    return connections
  }

  function replace(connections: Connections): void {
    if (closed || connections !== current) return
    current = connect()
    void connections.client.end({ timeout: GRACE / 1_000 })
    startWaiting()
  }

  function startWaiting(): void {
    while (current.running < size) {
      const start = waiting.shift()
      if (!start) return
      start()
    }
  }

  async function run({ text, parameters, comesAgain: prepare }: Statement): Promise<TextRow[]> {
    const connections = current
    connections.running += 1
    const silence = setTimeout(() => replace(connections), SILENCE)
    try {
      return await connections.client
        .unsafe<Record<string, string | null>[]>(text, [...parameters], { prepare })
        .values()
    } catch (error) {
      // Before anything else is sent: over TLS, too, the driver hears of an error before it hears of the close.
      if (isConnectionFailure(error)) replace(connections)
      throw error
    } finally {
      clearTimeout(silence)
      connections.running -= 1
      startWaiting()
    }
  }

  return {
    query: (statement) =>
      new Promise((resolve, reject) => {
        waiting.push(() => void run(statement).then(resolve, reject))
        startWaiting()
      }),
    async close() {
      closed = true
      await current.client.end({ timeout: 2 })
    },
  }
}
