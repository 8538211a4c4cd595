import { expect, it, onTestFinished, vi } from 'vitest'
import type { Observation } from '../../../../src/base/observation.ts'
import { OpeningError } from '../../../../src/db/opening-error.ts'
import { PostgresDatabase } from '../../../../src/db/external/postgres-database.ts'
import { Connection } from '../../../../src/db/postgres/connections/connection.ts'
import type { TextRow } from '../../../../src/db/postgres/statement.ts'
import { toConfig } from '../../../support/address.ts'
import { failure } from '../../support/scripted-pool.ts'

/** A database whose opening gets these answers, in turn; then none any more. @returns what it reports */
function open(...answers: (TextRow | Error)[]) {
  vi.spyOn(Connection.prototype, 'run').mockImplementation(async () => {
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer ? [answer] : new Promise<never>(() => undefined)
  })
  const reported: Observation[] = []
  const database = new PostgresDatabase(toConfig('postgres://localhost:1/none'), [], { migrates: true })
  database.open((observation) => void reported.push(observation)).catch(() => undefined)
  onTestFinished(() => database.close())
  return { database, reported, answers }
}

const DOWN = failure('ECONNREFUSED')
const NOT_MIGRATED = ['UTF8', null, 'public']
const statement = { name: 'read', text: 'select', parameters: [], prepare: false }

it('what an opening waits for is reported once, and again after something else, and statements fail with it', async () => {
  const { database, reported, answers } = open(DOWN, DOWN, NOT_MIGRATED, ['f'], ['f'], DOWN)
  await vi.waitFor(() => expect(answers).toHaveLength(2), 5_000)
  await expect(database.query(statement)).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    cause: 'another process is migrating the database',
  })
  await vi.waitFor(() => expect(answers).toHaveLength(0), 5_000)
  await expect(database.query(statement)).rejects.toBe(DOWN)
  expect(reported).toMatchObject([
    { type: 'database waiting', reason: DOWN, variable: 'DATABASE_URL' },
    { type: 'migration waiting', reason: 'another process is migrating the database' },
    { type: 'database waiting', reason: DOWN, variable: 'DATABASE_URL' },
  ])
})

it('is opened once, however often that is asked for, and an opening ends when it is closed', async () => {
  const { database, reported } = open(DOWN)
  const opening = database.open(null)
  expect(database.open(null)).toBe(opening)
  await vi.waitFor(() => expect(reported).toHaveLength(1))
  await database.close()
  await opening
})

it('statements fail with the reason for which an opening has failed, not with what it has waited for', async () => {
  const { database, answers } = open(DOWN, failure('0A000'))
  await expect(database.open(null)).rejects.toBeInstanceOf(OpeningError)
  expect(answers).toEqual([])
  const failing = { code: 'DATABASE_UNAVAILABLE', cause: 'failed' }
  await expect(database.query(statement)).rejects.toMatchObject(failing)
  expect(() => database.requireDialect()).toThrow(expect.objectContaining(failing) as Error)
})

it('statements fail before it is opened, and after it was closed', async () => {
  const database = new PostgresDatabase(toConfig('postgres://localhost:1/none'), [], { migrates: true })
  for (let round = 0; round < 2; round += 1) {
    const failing = { code: 'DATABASE_UNAVAILABLE', cause: undefined }
    await expect(database.query(statement)).rejects.toMatchObject(failing)
    await expect(database.check()).rejects.toMatchObject(failing)
    await database.close()
  }
})

it('its dialect is not known before it is open, and asking for it fails as a statement does', async () => {
  const { database, reported } = open(DOWN)
  expect(() => database.requireDialect()).toThrow(
    expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' }) as Error,
  )
  await vi.waitFor(() => expect(reported).toHaveLength(1))
  expect(() => database.requireDialect()).toThrow(DOWN)
})
