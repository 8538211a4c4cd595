import postgres from 'postgres'
import { expect, onTestFinished } from 'vitest'
import { eventually } from './eventually.ts'

/** While it is held, every statement on the table pets waits in Postgres. It is released after the test at the latest. */
export interface TableLock {
  /** Resolves when at least this many statements are waiting. */
  waitFor(statements: number): Promise<void>
  /** Resolves when none waits any more: each has timed out. */
  waitForNone(): Promise<void>
  /** Terminates the connections of all waiting statements, as an operator would. @returns their number */
  terminateWaiting(): Promise<number>
  release(): Promise<void>
}

/** @param url of the database @param onFinished of the test's own context, if tests run concurrently */
export async function lockPets(url: string, onFinished = onTestFinished): Promise<TableLock> {
  const sql = postgres(url, { max: 2 })
  const { promise: locked, resolve: lock } = Promise.withResolvers<undefined>()
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  const transaction = sql.begin(async (tx) => {
    await tx`lock table pets in access exclusive mode`
    lock(undefined)
    await released
  })
  await Promise.race([locked, transaction])
  // In other databases, a different table may have the same oid.
  const isWaiting = sql`
    relation = 'pets'::regclass and not granted
    and database = (select oid from pg_database where datname = current_database())`
  const countWaiting = async () => (await sql`select from pg_locks where ${isWaiting}`).length
  const lockHolder: TableLock = {
    waitFor: (statements) =>
      eventually(async () => expect(await countWaiting()).toBeGreaterThanOrEqual(statements)),
    waitForNone: () => eventually(async () => expect(await countWaiting()).toBe(0)),
    async terminateWaiting() {
      const ended = await sql`select pg_terminate_backend(pid) from pg_locks where ${isWaiting}`
      return ended.length
    },
    async release() {
      release(undefined)
      await transaction
      await sql.end()
    },
  }
  onFinished(() => lockHolder.release())
  return lockHolder
}
