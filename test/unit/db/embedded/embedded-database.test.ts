/** Its life, with an embedded Postgres that the test starts and fills; test/process/embedded.test.ts has a real one. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OperatorError } from '../../../../src/base/operator-error.ts'
import { EmbeddedDatabase } from '../../../../src/db/embedded/embedded-database.ts'

const statement = { name: 'ask', text: 'select', parameters: [], prepare: false }

let start: PromiseWithResolvers<string>
const postgres = {
  isNew: false,
  failed: new Promise<never>(() => undefined),
  findDiskProblem: async () => null,
  cancelStart: vi.fn(),
  close: vi.fn(),
}
let database: EmbeddedDatabase

beforeEach(() => {
  vi.useFakeTimers()
  start = Promise.withResolvers()
  start.promise.catch(() => undefined)
  // As a start does that is cancelled.
  postgres.cancelStart.mockImplementation(() => start.reject(new Error('exited')))
  postgres.close.mockResolvedValue(undefined)
  database = new EmbeddedDatabase({ ...postgres, address: start.promise }, [])
})
afterEach(() => void vi.useRealTimers())

it('a database that is never opened keeps nothing running', () => {
  expect(vi.getTimerCount()).toBe(0)
})

describe('a database that is not open yet', () => {
  it('runs no statement', async () => {
    await expect(database.query(statement)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
  })

  it('and that cannot be opened names the variable and the reason', async () => {
    start.reject(new Error('no such directory'))
    await expect(database.open()).rejects.toMatchObject({
      variable: 'DATA_DIR',
      cause: { message: 'no such directory' },
    })
  })

  it('passes on what the operator should do', async () => {
    const error = new OperatorError('Do that.')
    start.reject(error)
    await expect(database.open()).rejects.toBe(error)
  })

  it('can be closed meanwhile: its start is cancelled, and opening it ends', async () => {
    const opening = database.open()
    await database.close()
    await opening
    expect(postgres.cancelStart).toHaveBeenCalledOnce()
    expect(postgres.close).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('a closed database accepts no subscription, no connection and no opening', async () => {
  await database.close()
  await expect(database.events.subscribe('ann', () => true)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
  await expect(database.connect()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
  await database.open()
  await expect(database.query(statement)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
})
