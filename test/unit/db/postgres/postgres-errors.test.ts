import { inspect } from 'node:util'
import { DrizzleQueryError } from 'drizzle-orm'
import { stdSerializers } from 'pino'
import { describe, expect, it } from 'vitest'
import {
  toFatalError,
  StatementBug,
  findDatabaseError,
  originalOf,
  toDatabaseError,
} from '../../../../src/db/postgres/postgres-errors.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'

/** An error from the driver, Postgres or the operating system. */
const failure = (code: unknown, more: object = {}) =>
  Object.assign(new Error('insert into crates values (secret)'), { code, detail: 'secret row', ...more })

/** What callers get for codes of the driver, Node, the operating system, and PostgreSQL (manual, appendix A). */
const answers = {
  DATABASE_UNAVAILABLE: [
    ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'CONNECTION_ENDED', 'EADDRNOTAVAIL'],
    ...['EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'EMFILE', 'ENETDOWN', 'ENETUNREACH'],
    ...['ENOENT', 'ENOTFOUND', 'EPIPE', 'EPROTO', 'ETIMEDOUT', 'EHOSTDOWN', 'ENFILE', 'ECONNABORTED'],
    ...['ENOBUFS', 'ENOTCONN', 'ENONET', 'EPERM', 'ENOMEM', 'E2BIG', 'EAI_FAIL', 'ESERVFAIL', 'ETIMEOUT'],
    ...['ERR_SOCKET_CLOSED', 'ERR_SOCKET_CONNECTION_TIMEOUT', 'ERR_STREAM_DESTROYED', 'CERT_HAS_EXPIRED'],
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT'],
    ...['EACCES', 'SASL_SIGNATURE_MISMATCH', 'ERR_OSSL_UNSUPPORTED'],
    ...['ERROR_IN_CERT_NOT_AFTER_FIELD', 'CRL_HAS_EXPIRED', 'INVALID_CA', 'PATH_LENGTH_EXCEEDED'],
    ...['08000', '08003', '08006', '08001', '08004', '08007', '08P01', '28000', '28P01', '3D000'],
    ...['25006', '40000', '40002', '40001', '40003', '40P01', '53000', '53100', '53200', '53300', '53400'],
    ...[
      '57000',
      '57P01',
      '57P02',
      '57P03',
      '57P04',
      '57P05',
      '25P03',
      '25P04',
      '54000',
      '58000',
      '58030',
      '3F000',
      '42501',
      '42704',
      '42883',
      '42P01',
    ],
  ],
  TIMEOUT: ['57014', '55P03', 'SILENT_CONNECTION'],
  IDS_EXHAUSTED: ['2200H'],
  /** Our own bugs. */
  itself: [
    ...['0A000', '21000', '22001', '22P02', '23505', '23514', '25000', '25001', '25007', '25P02', '26000'],
    ...['2BP01', '42601', '42703', '42P02', '44000', '54001', '55000', '55006'],
    ...['P0001', '157014', '570140', '055P03', '2500', '250060'],
    ...['ERR_INVALID_URL', 'ERR_INVALID_ARG_TYPE', 'UNDEFINED_VALUE', 'F0000', 'HV000'],
  ],
}
/** The cause of an error, which may also have our own reason. */
const ofCode = (code: string) => expect.stringMatching(new RegExp(`^${code}(: .|$)`)) as string
const codes = Object.entries(answers).flatMap(([answer, codes]) =>
  codes.map((code) => [answer, code] as const),
)

it.each(codes)(
  'callers get %s for the code %s, and nothing of the message, the details or the cause',
  (answer, code) => {
    const wrapped = new Error('secret', { cause: failure(code, { cause: 'secret' }) })
    for (const error of [toDatabaseError(failure(code)), toDatabaseError(wrapped)]) {
      if (answer === 'itself') expect(error).toEqual(new StatementBug(code, 'bug'))
      else expect(error).toMatchObject({ name: 'ServiceError', code: answer, cause: ofCode(code) })
      expect(inspect(error, { depth: null, showHidden: true })).not.toContain('secret')
    }
  },
)

it.each<[string, unknown]>([
  ['in the error itself, before that of its cause', failure('57014', { cause: failure('42601') })],
  ['in the cause of its cause', new Error('outer', { cause: new Error('', { cause: failure('57014') }) })],
  ['in its cause, if its own is not a string', failure(5, { cause: failure('57014') })],
  ['in the first of several errors', new AggregateError([failure('57014'), failure('42601')])],
  ['in the cause of the first of several', new AggregateError([new Error('', { cause: failure('57014') })])],
  ['in an aggregate error itself', Object.assign(new AggregateError([failure('42601')]), { code: '57014' })],
])('the code is found %s', (_, error) => {
  expect(toDatabaseError(error)).toMatchObject({ code: 'TIMEOUT' })
})

it('an error without a code, and a ServiceError, stay as they are; any other thrown value becomes an error', () => {
  for (const error of [
    new ServiceError('OVERLOADED', undefined, { cause: failure('57014') }),
    new Error('ours'),
    new AggregateError([]),
    new Error('', { cause: { code: '57014' } }),
  ])
    expect(toDatabaseError(error)).toBe(error)
  expect(toDatabaseError('ours')).toEqual(new Error('ours'))
})

it('the log of a bug has its code, and nothing of what the driver has thrown', () => {
  const logged: unknown = JSON.parse(JSON.stringify(stdSerializers.err(new StatementBug('42703', 'bug'))))
  expect(logged).toEqual({
    type: 'StatementBug',
    name: 'StatementBug',
    message: 'A statement failed with SQLSTATE 42703.',
    code: '42703',
    stack: expect.stringContaining('StatementBug: A statement failed') as string,
  })
})

describe('what an error means for what is done next', () => {
  const kinds = {
    'rejected value': ['22000', '22001', '22003', '22P02', '22021', '23000', '23502', '23505', 'P0001'],
    // Also when ids are exhausted: other values would not help.
    passing: [
      'EMFILE',
      'ENFILE',
      '25006',
      '28P01',
      '40001',
      '53200',
      '53300',
      '55P03',
      '57014',
      '57P01',
      '2200H',
    ],
    lasting: ['3F000', '42501', '42P01', '54000', '58030', 'XX000'],
    'lost server': ['SILENT_CONNECTION', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'ECONNRESET', 'EPIPE'],
    bug: ['21000', '24000', '42601', '2200', '220001', '122001', 'ERR_INVALID_ARG_TYPE'],
  }
  it.each(Object.entries(kinds).flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const)))(
    '%s: %s',
    (code, kind) => {
      const wrapped = new Error('', { cause: failure(code) })
      for (const error of [failure(code), wrapped].map(toDatabaseError)) {
        const byDrizzle = new DrizzleQueryError('', [], error)
        for (const thrown of [error, byDrizzle])
          expect(findDatabaseError(thrown)).toMatchObject({ kind, databaseCode: code })
      }
    },
  )

  it('without a code, or before the driver was asked, it means nothing', () => {
    const thrown = [undefined, null, '22001', failure(22001), new Error('22001'), new ServiceError('TIMEOUT')]
    for (const error of thrown.map(toDatabaseError)) expect(findDatabaseError(error)).toBeNull()
  })

  it('a connection was refused if Postgres has ended it, since there are too many', () => {
    expect(toFatalError({ code: '53300', message: 'too many connections' })).toMatchObject({
      kind: 'refused connection',
    })
    expect(toFatalError({ code: '53200', message: 'memory' })).toMatchObject({ kind: 'passing' })
  })

  it.each([
    ['0A000', 'unsupported frontend protocol 3.0'],
    ['42P05', 'prepared statement "a" already exists'],
    ['22023', 'invalid value for parameter "x"'],
  ])(
    'a connection that Postgres refuses is no bug of a statement, even with the code of one: %s',
    (code, message) => {
      expect(toFatalError({ code, message })).toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
        kind: 'lasting',
        databaseCode: code,
        cause: `${code}: ${message}`,
      })
    },
  )
})

it.each([
  ['of a statement', failure('42P07')],
  ['of a connection', toFatalError({ code: '22023', message: failure('').message })],
])('the message of Postgres can be read where there are no data: %s', (_, thrown) => {
  const error = toDatabaseError(thrown)
  for (const found of [error, new DrizzleQueryError('', [], error)])
    expect(originalOf(found)).toMatchObject({ message: failure('').message })
})
