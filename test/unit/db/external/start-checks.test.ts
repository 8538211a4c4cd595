import { expect, it } from 'vitest'
import { OperatorError } from '../../../../src/base/operator-error.ts'
import { runStartChecks } from '../../../../src/db/external/start-checks.ts'
import type { Statement } from '../../../../src/db/postgres/statement.ts'
import { answerRow, START_ANSWERS } from '../../support/answers.ts'

/** @param changes the answers that differ from those of a Postgres that can be used @param distributed whether Citus has the tables */
function check(
  changes: Partial<Record<keyof typeof START_ANSWERS, boolean | string>> = {},
  distributed = false,
) {
  const query = async (statement: Statement) => {
    if (statement.text.includes('from pg_dist_partition')) return distributed ? [['idempotency_keys']] : []
    return answerRow(statement, { ...START_ANSWERS, ...changes })
  }
  return runStartChecks({ query }, ['crates'])
}

it('a Postgres that can be used is accepted, with what has to be known of it', async () => {
  expect(await check()).toEqual({ mayIdentify: true, isDistributed: false })
  expect(await check({ mayIdentify: false })).toEqual({ mayIdentify: false, isDistributed: false })
})

it.each([
  ['without its extension', false, true, false],
  ['with other tables than ours', true, false, false],
  ['with our tables', true, true, true],
])('Citus %s', async (_, hasCitus, distributed, isDistributed) => {
  expect(await check({ hasCitus }, distributed)).toMatchObject({ isDistributed })
})

it('a standby is waited for', async () => {
  await expect(check({ isStandby: true })).rejects.toMatchObject({ databaseCode: '25006', kind: 'passing' })
})

it.each([
  [
    { secured: 'crates' },
    'Row-level security may hide rows of crates from the user me, and reject new ones.\n' +
      'Run as the owner, for each table: alter table … no force row level security\n' +
      'Or as a superuser: alter role "me" bypassrls',
  ],
  [
    { array_nulls: 'off' },
    'Through the pooler, the setting array_nulls is off, which this program cannot change.\n' +
      `Run: alter role "me" set array_nulls = 'on'\nThen let the pooler open new connections.`,
  ],
  [
    { default_transaction_isolation: 'serializable' },
    'Through the pooler, the setting default_transaction_isolation is serializable, which this program cannot change.\n' +
      `Run: alter role "me" set default_transaction_isolation = 'read committed'\nThen let the pooler open new connections.`,
  ],
])('%o is for the operator to mend', async (changes, message) => {
  await expect(check(changes)).rejects.toThrow(new OperatorError(message))
})
