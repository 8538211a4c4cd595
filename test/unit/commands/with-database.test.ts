import { expect, it } from 'vitest'
import { toOperatorError } from '../../../src/commands/with-database.ts'
import type { DatabaseConfig } from '../../../src/config/database-config.ts'
import { toConfig } from '../../support/address.ts'
import { OperatorError } from '../../../src/base/operator-error.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { NotMigratedError } from '../../../src/db/postgres/postgres-errors.ts'

const postgres = toConfig('postgres://localhost/store')
const withCode = (message: string, code: string) => Object.assign(new Error(message), { code })
const refusal = withCode('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')

const textOf = (error: unknown, database: DatabaseConfig = postgres) =>
  toOperatorError(error, database, 'DATABASE_URL').message

it.each<[string, unknown, string]>([
  ['a cause', new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: '28P01' }), ' (28P01)\n'],
  ['no cause', new ServiceError('TIMEOUT'), 'The database did not answer in time.\n'],
  ['several attempts', new AggregateError([refusal, new Error('no route')]), '127.0.0.1:5432; no route\n'],
  ['an error behind it', new Error('hidden', { cause: refusal }), `used: ${refusal.message}\n`],
  ['a text', 'broken', 'used: broken\n'],
])('the message has the reason: %s', (_, error, expected) => {
  const text = textOf(error)
  expect(text).toContain(expected)
  expect(text).toContain('The database in DATABASE_URL cannot be used: ')
})

it('the message says what to do', () => {
  expect(textOf(refusal).split('\n')[1]).toContain('Nothing is listening there.')
})

it.each([new OperatorError('Do this.'), new NotMigratedError()])(
  'a message that says what to do is unchanged: %s',
  (error) => {
    expect(textOf(error)).toBe(error.message)
  },
)

it('the message names the variable whose URL failed', () => {
  const { message } = toOperatorError(refusal, postgres, 'DATABASE_LISTEN_URL')
  expect(message).toContain('The database in DATABASE_LISTEN_URL cannot')
})

it('for an embedded database, the message names the directory', () => {
  const text = textOf(refusal, { kind: 'embedded', directory: '/data' })
  expect(text).toMatch(/^The embedded database in \/data cannot be opened: connect .*DATA_DIR/s)
})
