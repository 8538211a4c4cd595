import { expect, it } from 'vitest'
import { toOperatorError } from '../../../src/commands/with-database.ts'
import type { DatabaseConfig } from '../../../src/config/database-config.ts'
import { toConfig } from '../../support/address.ts'
import { OperatorError } from '../../../src/base/operator-error.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { NotMigratedError } from '../../../src/db/postgres/postgres-errors.ts'

const postgres = toConfig('postgres://localhost/store')
const withCode = (message: string, code: string) => Object.assign(new Error(message), { code })
const refused = withCode('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')

const textOf = (error: unknown, database: DatabaseConfig = postgres) =>
  toOperatorError(error, database, 'DATABASE_URL').message

it.each<[string, unknown, string]>([
  ['a cause', new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: '28P01' }), ' (28P01)\n'],
  ['no cause', new ServiceError('TIMEOUT'), 'The database did not answer in time.\n'],
  ['several attempts', new AggregateError([refused, new Error('no route')]), '127.0.0.1:5432; no route\n'],
  ['an error behind it', new Error('hidden', { cause: refused }), `used: ${refused.message}\n`],
  ['a text', 'broken', 'used: broken\n'],
])('the reason is told: %s', (_, error, expected) => {
  const text = textOf(error)
  expect(text).toContain(expected)
  expect(text).toContain('The database in DATABASE_URL cannot be used: ')
})

it('what to do is told', () => {
  expect(textOf(refused).split('\n')[1]).toContain('Nothing is listening there.')
})

it.each([new OperatorError('Do this.'), new NotMigratedError()])(
  'what to do is told as it is: %s',
  (error) => {
    expect(textOf(error)).toBe(error.message)
  },
)

it('the variable is named that has the URL that failed', () => {
  const { message } = toOperatorError(refused, postgres, 'DATABASE_LISTEN_URL')
  expect(message).toContain('The database in DATABASE_LISTEN_URL cannot')
})

it('for an embedded database, the directory is named', () => {
  const text = textOf(refused, { kind: 'embedded', directory: '/data' })
  expect(text).toMatch(/^The embedded database in \/data cannot be opened: connect .*DATA_DIR/s)
})
