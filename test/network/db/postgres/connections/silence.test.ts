import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Connection } from '../../../../../src/db/postgres/connections/connection.ts'
import { toHosts } from '../../../../support/address.ts'
import { acceptLogins, EMPTY_ANSWER } from '../../../../support/postgres-login.ts'

const SILENCE_LIMIT_MS = 400

// All of them, since a factory that imports the original is too late for modules that use them at once.
vi.mock('../../../../../src/db/postgres/time-limits.ts', () => ({
  OPEN_LIMIT_MS: 5_000,
  OPEN_LIMIT_OF_HOST_MS: 2_000,
  STATEMENT_LIMIT_MS: 300,
  CANCEL_INTERVAL_MS: 100,
  SILENCE_LIMIT_MS: 400,
  MIN_SILENCE_OF_STATEMENT_MS: 200,
  DEADLINE_MS: 8_000,
}))

const ping = { name: 'ping', text: 'select ping', parameters: [], prepare: false }

/** An open connection to a Postgres that answers `ping` when that has been called. */
async function open(answer: (write: () => void) => void) {
  const { port } = await acceptLogins((socket) =>
    socket.on('data', (chunk) => {
      const write = () => void socket.write(EMPTY_ANSWER)
      if (chunk.includes('ping')) answer(write)
      else write()
    }),
  )
  const url = `postgres://user@127.0.0.1:${port}/pets?sslmode=disable`
  const connection = new Connection(toHosts(url), () => undefined)
  onTestFinished(() => connection.destroy())
  await connection.run({ ...ping, text: 'select' })
  return connection
}

it.each([
  ['at once', 0],
  ['after the connection was idle for longer than the limit', 1.5 * SILENCE_LIMIT_MS],
])('a statement that meets silence, %s, gets TIMEOUT, and its connection is closed', async (_, idle) => {
  const connection = await open(() => undefined)
  await setTimeout(idle)
  expect(connection.isDestroyed).toBe(false)
  const error = { code: 'TIMEOUT', databaseCode: 'SILENT_CONNECTION' }
  await expect(connection.run(ping)).rejects.toMatchObject(error)
  expect(connection.isDestroyed).toBe(true)
})

it('a statement that begins when its connection has been idle for the limit is not ended for that', async () => {
  const connection = await open((write) => globalThis.setTimeout(write, 100))
  await setTimeout(SILENCE_LIMIT_MS - 50)
  // From here, the time limit comes before the driver sends the statement: timers run before what setImmediate was given.
  await setImmediate()
  const running = connection.run(ping)
  const end = performance.now() + 100
  while (performance.now() < end);
  expect(await running).toEqual([])
})
