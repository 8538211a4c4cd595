import { describe, expect, it } from 'vitest'
import { adviceFor, toFatalError, DatabaseServiceError } from '../../../../src/db/postgres/postgres-errors.ts'

const withCode = (code: string) => Object.assign(new Error('failed'), { code })

describe('the advice depends on the code', () => {
  it.each([
    ['08P01', 'Add ?pooler=transaction to DATABASE_URL,'],
    ['08006', 'Postgres closed the connection.'],
    ['CONNECTION_CLOSED', 'Postgres closed the connection.'],
    ['0A000', 'PostgreSQL 14'],
    ['22023', 'the value of the parameter options'],
    ['25006', 'is a standby'],
    ['25P03', 'A time limit'],
    ['57P05', 'A time limit'],
    ['28000', 'add ?sslmode=require'],
    ['28P01', 'Correct the user and the password'],
    ['3D000', 'Create the database'],
    ['42704', 'Correct the parameter options'],
    ['42P01', 'search_path'],
    ['40P01', 'Try again.'],
    ['55P03', 'Try again.'],
    ['42501', 'Make this user the owner'],
    ['42P07', 'Use another database.'],
    ['42601', 'PostgreSQL 14'],
    ['23505', 'that the migration cannot change'],
    ['53100', 'disk of Postgres is full'],
    ['53200', 'out of memory'],
    ['53300', 'Lower DATABASE_CONNECTIONS'],
    ['53400', 'enough connections, memory and disk space'],
    ['57P03', 'starting, stopping or recovering'],
    ['57P01', 'Try again.'],
    ['58030', 'a problem with its disk'],
    ['XX001', 'a problem with its disk'],
    ['NO_PRIMARY', 'None of the hosts in the URL is the primary.'],
    ['ECONNREFUSED', 'Nothing is listening there.'],
    ['EMFILE', 'ulimit -n'],
    ['ENFILE', 'ulimit -n'],
    ['ENOTFOUND', 'The host in the URL is unknown.'],
    ['EAI_AGAIN', 'The host in the URL is unknown.'],
    ['CONNECT_TIMEOUT', 'The host does not answer.'],
    ['ERR_TLS_UNSUPPORTED', 'remove sslmode'],
    ['ECONNRESET', 'Is it Postgres that listens there?'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'sslrootcert'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'verify-ca'],
    ['CERT_HAS_EXPIRED', 'Check the certificate of Postgres'],
  ])('%s', (code, advice) => {
    const errors = [
      withCode(code),
      toFatalError({ code: code, message: 'it says: so' }),
      new Error('', { cause: withCode(code) }),
      new DatabaseServiceError(code, { kind: 'passing', reason: 'it says: so' }),
    ]
    for (const error of errors) expect(adviceFor(error)).toContain(advice)
  })

  it('no other code leads to advice about memory or disk space', () => {
    for (const code of ['25006', '28000', '42501', 'ENOENT', 'any', '42P01', 'F0000', 'XX000'])
      expect(adviceFor(withCode(code))).not.toContain('memory and disk space')
    expect(adviceFor(new Error('unknown'))).toContain('Is it running')
  })
})
