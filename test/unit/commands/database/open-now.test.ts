/** When a command gives up, with a scripted database; test/process/keys.test.ts has real ones. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Observe } from '../../../../src/base/observation.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { openNow } from '../../../../src/commands/database/open-now.ts'
import { toFatalError } from '../../../../src/db/postgres/postgres-errors.ts'

const refused = toFatalError({ code: '53300', message: 'too many clients already' }) as ServiceError
const lost = new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: 'ECONNREFUSED' })

let observe: Observe
let opened: PromiseWithResolvers<void>
/** What the opening has ended with: null if the database is open. */
let outcome: unknown

beforeEach(async () => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  opened = Promise.withResolvers()
  outcome = 'none'
  const database = {
    open(told: Observe | null) {
      observe = told ?? expect.unreachable()
      return opened.promise
    },
  }
  openNow(database).then(
    () => (outcome = null),
    (error: unknown) => (outcome = error),
  )
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
const wait = (reason: ServiceError) =>
  observe({ type: 'database waiting', variable: 'DATABASE_URL', reason, advice: undefined })

it('a command does not wait for a Postgres that cannot be reached', async () => {
  wait(lost)
  await pass(0)
  expect(outcome).toMatchObject({ name: 'OpeningError', variable: 'DATABASE_URL', cause: lost })
})

it('a command waits for a connection for 3 seconds', async () => {
  wait(refused)
  await pass(2_900)
  wait(refused)
  expect(outcome).toBe('none')
  await pass(200)
  expect(outcome).toMatchObject({ name: 'OpeningError', cause: refused })
})

it('a command that has got its connection waits for another migration as long as that takes, and says so', async () => {
  wait(refused)
  observe({ type: 'migration waiting', reason: 'another process migrates' })
  await pass(60_000)
  expect(outcome).toBe('none')
  expect(console.error).toHaveBeenCalledExactlyOnceWith('Waiting: another process migrates.')
  opened.resolve()
  await pass(0)
  expect(outcome).toBeNull()
})

it('a database that opens meanwhile is used', async () => {
  wait(refused)
  opened.resolve()
  await pass(5_000)
  expect(outcome).toBeNull()
})
