import { expect, it } from 'vitest'
import { toOperatorError } from '../../../src/commands/with-database.ts'
import type { DatabaseConfig } from '../../../src/config/database-config.ts'
import { NotMigratedError, ServiceError, OperatorError } from '../../../src/base/errors.ts'

const url = 'postgres://localhost/pets'
const postgres: DatabaseConfig = { kind: 'postgres', url, sessionUrl: null, standbys: [] }
const withCode = (message: string, code: string) => Object.assign(new Error(message), { code })
const refused = withCode('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')
const unavailable = (cause: string) => new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause })

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

it.each<[unknown, string]>([
  [unavailable('28P01: wrong password'), 'Correct the user and the password in the URL.'],
  [unavailable('28000'), 'Correct the user and the password in the URL.'],
  [unavailable('3D000: there is no such database'), 'Create the database, or correct its name in the URL.'],
  [unavailable('ECONNREFUSED'), 'Nothing is listening there. Is Postgres running,'],
  [refused, 'Nothing is listening there. Is Postgres running,'],
  [unavailable('ENOTFOUND'), 'The host in the URL is unknown.'],
  [unavailable('EAI_AGAIN'), 'The host in the URL is unknown.'],
  [unavailable('CONNECT_TIMEOUT'), 'The host does not answer.'],
  [unavailable('53300: too many connections'), 'Stop other clients,'],
  [unavailable('40P01'), 'Try again.'],
  [unavailable('CERT_HAS_EXPIRED'), 'Check the certificate of Postgres,'],
  [withCode('permission denied for schema public', '42501'), 'Make this user the owner of the database,'],
  [unavailable('53100'), 'Make space on the disk'],
  [unavailable('08P01: a pooler needs it'), 'Add ?pooler=transaction to DATABASE_URL,'],
  [withCode('unrecognized configuration parameter "x"', '42704'), 'Does the URL have a parameter'],
  [unavailable('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'in NODE_EXTRA_CA_CERTS.'],
  [unavailable('SELF_SIGNED_CERT_IN_CHAIN'), 'in NODE_EXTRA_CA_CERTS.'],
  [unavailable('ECONNRESET'), 'does it accept TLS connections?'],
  [unavailable('EPIPE'), 'Is it running, and'],
  [new Error('unknown'), 'Is it running, and'],
])('what to do depends on the cause: %s', (error, remedy) => {
  const [, told] = textOf(error).split('\n')
  expect(told).toContain(remedy)
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
