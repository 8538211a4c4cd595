import { DrizzleQueryError } from 'drizzle-orm'
import { expect, it } from 'vitest'
import type { DatabaseVariable } from '../../../../src/base/database-variable.ts'
import { explainDatabaseError } from '../../../../src/commands/database/explain-database-error.ts'
import { type DatabaseConfig, variableOf } from '../../../../src/config/database-config.ts'
import { toConfig } from '../../../support/address.ts'
import { OperatorError } from '../../../../src/base/operator-error.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { OpeningError } from '../../../../src/db/opening-error.ts'
import { NotMigratedError } from '../../../../src/db/postgres/postgres-errors.ts'
import { databaseErrorOf } from '../../support/database-error.ts'

const postgres = toConfig('postgres://localhost/store')
const embedded: DatabaseConfig = { kind: 'embedded', directory: '/data' }
const refusal = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
const unwritable = Object.assign(new Error('EACCES: open'), { code: 'EACCES', syscall: 'open' })

const opening = (cause: unknown, variable: DatabaseVariable = 'DATABASE_URL') =>
  new OpeningError(variable, cause)
const explain = (error: unknown, database: DatabaseConfig = postgres) =>
  explainDatabaseError(error, database, variableOf(database))
function textOf(...args: Parameters<typeof explain>): string {
  const explained = explain(...args)
  if (!(explained instanceof OperatorError)) throw new Error('It is not explained', { cause: explained })
  return explained.message
}

it.each<[string, unknown, string]>([
  ['a cause', new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: '28P01' }), ' (28P01)\n'],
  ['no cause', new ServiceError('TIMEOUT'), 'The database did not answer in time.\n'],
  ['no ids are left', databaseErrorOf('2200H'), ' (2200H)\n'],
  ['several attempts', opening(new AggregateError([refusal, new Error('no route')])), ':5432; no route\n'],
  ['an error behind it', opening(new Error('hidden', { cause: refusal })), `used: ${refusal.message}\n`],
  ['a text', opening('broken'), 'used: broken\n'],
])('the message has the reason: %s', (_, error, expected) => {
  const text = textOf(error)
  expect(text).toContain(expected)
  expect(text).toContain('The database in DATABASE_URL cannot be used: ')
})

it('the message says what to do', () => {
  expect(textOf(opening(refusal)).split('\n')[1]).toContain('Nothing is listening there.')
})

it('an error that says by itself what to do stays as it is, or is only its message', () => {
  const error = new OperatorError('Do this.')
  expect(explain(error)).toBe(error)
  const notMigrated = new NotMigratedError()
  expect(textOf(opening(notMigrated))).toBe(notMigrated.message)
})

it.each([
  ['Postgres', postgres],
  ['the embedded database', embedded],
])('of a statement of Drizzle on %s, the message has the reason, and no values', (_, database) => {
  const reason = new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: 'ENOSPC' })
  const text = textOf(new DrizzleQueryError('insert into api_keys', ['digest'], reason), database)
  expect(text).toContain(' cannot be used: ')
  expect(text).toContain(' (ENOSPC)\n')
  expect(text).not.toMatch(/insert|digest/)
})

it('the message names the variable whose URL failed', () => {
  expect(textOf(opening(refusal, 'DATABASE_LISTEN_URL'))).toContain(
    'The database in DATABASE_LISTEN_URL cannot',
  )
})

it('for an embedded database, the message names the directory', () => {
  const text = textOf(opening(unwritable, 'DATA_DIR'), embedded)
  expect(text).toMatch(/^The embedded database in \/data cannot be used: EACCES: open\n.*DATA_DIR/)
})

it.each([
  ['no answer', new ServiceError('TIMEOUT')],
  ['a full disk', new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: 'ENOSPC' })],
])('an embedded database that was opened is not said to be unusable for its directory: %s', (_, error) => {
  const [reason = '', advice, ...more] = textOf(error, embedded).split('\n')
  expect(reason).toContain('The embedded database in /data cannot be used: ')
  expect([advice, more]).toEqual([expect.not.stringContaining('writable'), []])
})

it.each([
  ['Postgres', postgres],
  ['the embedded database', embedded],
])('if there are no ids left on %s, the message says how to get some', (_, database) => {
  expect(textOf(databaseErrorOf('2200H'), database)).toMatch(/ \(2200H\)\nExport .*--keep-ids/)
})

it('a statement of ours that is wrong is a bug, without the text and the values that Drizzle adds', () => {
  const bug = databaseErrorOf('42601')
  expect(explain(bug)).toBe(bug)
  expect(explain(new DrizzleQueryError('insert into api_keys', ['digest'], bug), embedded)).toBe(bug)
})

it.each([
  ['a bug', new TypeError('x is not a function'), embedded],
  ['a bug', new TypeError('x is not a function'), postgres],
  ['of another file', unwritable, postgres],
  ['of another file', unwritable, embedded],
])('what does not come from the database stays as it is: %s', (_, error, database) => {
  expect(explain(error, database)).toBe(error)
})
