import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  DatabaseError,
  isRejectedValue,
  toDatabaseError,
} from '../../../../src/db/postgres/postgres-errors.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'

/** An error from the driver, Postgres or the operating system. */
const failure = (code: unknown, more: object = {}) =>
  Object.assign(new Error('insert into pets values (secret)'), { code, detail: 'secret row', ...more })

const connectionCodes = [
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'CONNECTION_ENDED', 'EADDRNOTAVAIL'],
  ...['EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'EMFILE', 'ENETDOWN', 'ENETUNREACH'],
  ...['ENOENT', 'ENOTFOUND', 'EPIPE', 'EPROTO', 'ETIMEDOUT', 'EHOSTDOWN', 'ENFILE', 'ECONNABORTED'],
  ...['ENOBUFS', 'ENOTCONN', 'ENONET', 'EPERM', 'ENOMEM', 'E2BIG', 'EAI_FAIL', 'ESERVFAIL', 'ETIMEOUT'],
  ...['ERR_SOCKET_CLOSED', 'ERR_SOCKET_CONNECTION_TIMEOUT', 'ERR_STREAM_DESTROYED', 'CERT_HAS_EXPIRED'],
  ...['ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT'],
  ...['ERROR_IN_CERT_NOT_AFTER_FIELD', 'CRL_HAS_EXPIRED', 'INVALID_CA', 'PATH_LENGTH_EXCEEDED'],
]

/** PostgreSQL manual, appendix A: codes from every class that is not the statement's fault. */
const unavailable = {
  'connection exception': ['08000', '08003', '08006', '08001', '08004', '08007', '08P01'],
  'invalid authorization': ['28000', '28P01'],
  'invalid catalog name': ['3D000'],
  'read-only transaction, on a standby': ['25006'],
  'transaction rollback': ['40000', '40002', '40001', '40003', '40P01'],
  'insufficient resources': ['53000', '53100', '53200', '53300', '53400'],
  'operator intervention': ['57P01', '57P02', '57P03', '57P04', '57P05'],
}

const ownFaults = [
  ...['0A000', '21000', '22001', '22P02', '23505', '23514', '25000', '25001', '25007', '25P02', '26000'],
  ...['2BP01', '3F000', '42501', '42601', '42703', '42P01', '44000', '54000', '55000', '55006', '57000'],
  ...['58030', 'P0001', 'XX000', 'EACCES', '157014', '570140', '055P03', '2500', '250060'],
  ...['ERR_INVALID_URL', 'ERR_INVALID_ARG_TYPE', 'UNDEFINED_VALUE', 'F0000', 'HV000'],
]

describe('a failure is DATABASE_UNAVAILABLE for', () => {
  const codes = [
    ...connectionCodes.map((code) => ['the connection', code] as const),
    ...Object.entries(unavailable).flatMap(([title, codes]) => codes.map((code) => [title, code] as const)),
  ]

  it.each(codes)('a code that says the database is unavailable: %s, %s', (_, code) => {
    expect(toDatabaseError(failure(code))).toMatchObject({ code: 'DATABASE_UNAVAILABLE', cause: code })
  })
})

it.each([
  ['a cancelled statement', '57014'],
  ['a lock that was not available', '55P03'],
])('a failure is TIMEOUT for %s: %s', (_, code) => {
  expect(toDatabaseError(failure(code))).toMatchObject({ code: 'TIMEOUT', cause: code })
})

it('a failure is IDS_EXHAUSTED for a sequence at its end', () => {
  expect(toDatabaseError(failure('2200H'))).toMatchObject({ code: 'IDS_EXHAUSTED', cause: '2200H' })
})

it.each(ownFaults)('any other failure is our own bug, and keeps its code: %s', (code) => {
  const error = toDatabaseError(failure(code))
  expect(error).toBeInstanceOf(DatabaseError)
  expect(error).toMatchObject({ code, message: `A statement failed with SQLSTATE ${code}.` })
})

describe('the code is found', () => {
  it.each<[string, unknown]>([
    ['in the error itself, before that of its cause', failure('57014', { cause: failure('42601') })],
    ['in its cause', new Error('outer', { cause: failure('57014') })],
    ['in the cause of its cause', new Error('outer', { cause: new Error('', { cause: failure('57014') }) })],
    ['in its cause, if its own is not a string', failure(5, { cause: failure('57014') })],
    ['in the first of several errors', new AggregateError([failure('57014'), failure('42601')])],
    [
      'in the cause of the first of several',
      new AggregateError([new Error('', { cause: failure('57014') })]),
    ],
    [
      'in an aggregate error itself',
      Object.assign(new AggregateError([failure('42601')]), { code: '57014' }),
    ],
  ])('%s', (_, error) => {
    expect(toDatabaseError(error)).toMatchObject({ code: 'TIMEOUT' })
  })
})

it('an error without a code stays unchanged', () => {
  const errors = [new Error('ours'), new AggregateError([]), new Error('', { cause: { code: '57014' } })]
  for (const error of errors) expect(toDatabaseError(error)).toBe(error)
})

it('a ServiceError stays unchanged', () => {
  const error = new ServiceError('OVERLOADED', undefined, { cause: failure('57014') })
  expect(toDatabaseError(error)).toBe(error)
})

it('a value that is not an error becomes one', () => {
  expect(toDatabaseError('ours')).toEqual(new Error('ours'))
})

it.each([...connectionCodes, ...Object.values(unavailable).flat(), ...ownFaults, '57014', '55P03'])(
  'nothing of the message, of the details or of the cause is passed on: %s',
  (code) => {
    const error = new Error('secret', { cause: failure(code, { cause: 'secret' }) })
    expect(inspect(toDatabaseError(error), { depth: null, showHidden: true })).not.toContain('secret')
  },
)

describe('a value was rejected', () => {
  it.each(['22000', '22001', '22003', '22P02', '22021', '23000', '23502', '23505', '23514'])(
    'by the code %s',
    (code) => {
      expect(isRejectedValue(failure(code))).toBe(true)
      expect(isRejectedValue(new Error('', { cause: failure(code) }))).toBe(true)
      expect(isRejectedValue(new DatabaseError(code))).toBe(true)
    },
  )

  it.each(['21000', '24000', '40001', '42601', '2200', '220001', '122001', '57014', 'ECONNRESET', 22001])(
    'not by the code %j',
    (code) => expect(isRejectedValue(failure(code))).toBe(false),
  )

  it.each([undefined, null, '22001', new Error('22001'), { code: '22001' }])(
    'no value was rejected by %j',
    (error) => {
      expect(isRejectedValue(error)).toBe(false)
    },
  )
})
