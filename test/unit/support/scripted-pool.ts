/** Pools whose connections the test answers. */
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, vi } from 'vitest'
import type { Observe } from '../../../src/base/observation.ts'
import { PrimaryPools } from '../../../src/db/external/primary-pools.ts'
import { Connection } from '../../../src/db/postgres/connections/connection.ts'
import { Pool } from '../../../src/db/postgres/pool/pool.ts'
import type { QueryOptions } from '../../../src/db/postgres/statement-target.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'
import { toHosts } from '../../support/address.ts'
import { databaseErrorOf } from './database-error.ts'

/** A statement that was given to a connection. */
export interface Run {
  connection: Connection
  text: string
  onColumns: Statement['onColumns']
  isEnded: boolean
  succeed: (rows?: TextRow[]) => void
  /** Like the real connection, which destroys itself. */
  fail: (error: unknown) => void
}

export const runs: Run[] = []

/** Connections that record their statements, with fake timers. Each has opened when its first statement is answered. */
export function useScriptedConnections(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    runs.length = 0
    vi.spyOn(Connection.prototype, 'run').mockImplementation(function (
      this: Connection,
      { text, onColumns },
      beginSending = () => true,
    ) {
      const { promise, resolve, reject } = Promise.withResolvers<TextRow[]>()
      const fail = (error: unknown) => {
        if (this.hasOpened) beginSending()
        run.isEnded = true
        this.destroy()
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      const succeed = (rows: TextRow[] = []) => {
        beginSending()
        run.isEnded = true
        resolve(rows)
      }
      const run: Run = { connection: this, text, onColumns, isEnded: false, succeed, fail }
      runs.push(run)
      return promise
    })
  })
  afterEach(() => void vi.useRealTimers())
}

/** Lets time pass, and everything happen that a timer has deferred to the end of its iteration of the event loop. */
export async function pass(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds)
  await setImmediate()
  await vi.advanceTimersByTimeAsync(0)
}
export const textsOf = (list: { text: string }[]) => list.map(({ text }) => text)
/** The nth run, from 0. */
export function runOf(index: number): Run {
  const run = runs[index]
  if (!run) throw new Error(`Only ${runs.length} statements have been run`)
  return run
}

export interface Query extends QueryOptions {
  text: string
  name?: string
}
export const read = (text: string, callers = 1): Query => ({ text, callers })
/** A write that serves several requests. */
export const write = (text: string, name = 'createCrates', callers = 1): Query => ({
  text,
  name,
  callers,
})
/** A request of a key. */
export const requestOf = (key: string) => ({ clientName: key, isDisconnected: false })
export const ofKey = (key: string, text = key): Query => ({ text, owner: requestOf(key) })
export const numbered = (count: number, create: (text: string) => Query) =>
  Array.from({ length: count }, (_, index) => create(String(index + 1)))

export const toStatement = ({ text, name = text }: Query): Statement => ({
  ...{ name, text, parameters: [], prepare: true },
})

/** A call of the pool, and its outcome: rows, the code of an error, or nothing yet. */
export interface Call {
  text: string
  outcome: TextRow[] | string | null
}

export const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

export function ask(pool: Pool, query: Query | string): Call {
  const { text, ...options } = typeof query === 'string' ? read(query) : query
  const call: Call = { text, outcome: null }
  pool.query(toStatement({ text, ...options }), options).then(
    (rows) => (call.outcome = rows),
    (error: unknown) => (call.outcome = codeOf(error)),
  )
  return call
}
export const outcomesOf = (list: Call[]) => list.map(({ outcome }) => outcome)

export const hosts = toHosts('postgres://localhost:1/none')
/** Never connected to. */
export const createPool = (size: number) => new Pool(hosts, { size })
export const createPrimaryPools = (size: number, onAvailability: Observe = () => undefined) =>
  new PrimaryPools(hosts, { size, observeStatements: null, onAvailability, onFault: () => undefined })
export const failure = databaseErrorOf
