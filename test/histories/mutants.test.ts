/** Real servers whose database or clients are wrong in one way: the checker finds each. */
import { afterAll, expect, it } from 'vitest'
import { endServersAfter } from '../faults/server.ts'
import { runOn } from '../support/postgres.ts'
import { findContradictions } from './check.ts'
import { type Environment, usePostgres, useStandbys } from './environments.ts'
import { recordRound } from './rounds.ts'

/** Postgres answers before a commit is safe, and writes its log seldom. */
const ANSWERS_EARLY = { synchronous_commit: 'off', wal_writer_delay: '10s' }

const mutants: [name: string, use: () => Promise<Environment>, sendsTokens: boolean, found: RegExp][] = [
  [
    'writes are acknowledged before they are committed',
    () => usePostgres(ANSWERS_EARLY),
    true,
    /cannot all be true/,
  ],
  ['idempotency keys are forgotten', useForgetful, true, /was created twice/],
  [
    'a read does not say what its client has seen',
    () => useStandbys(['500ms', '500ms']),
    false,
    /cannot all be true/,
  ],
]

endServersAfter(afterAll)

it.each(mutants)('the checker finds that %s', async (_, use, sendsTokens, found) => {
  const environment = await use()
  try {
    const recorders = await recordRound(environment, { seed: 1, sendsTokens })
    const contradictions = recorders.flatMap(({ history }) => findContradictions(history, environment))
    expect(contradictions).toContainEqual(expect.stringMatching(found))
  } finally {
    await environment.remove()
  }
})

async function useForgetful(): Promise<Environment> {
  const environment = await usePostgres()
  const forget = () => runOn(environment.databaseUrl, 'delete from idempotency_keys').then(() => undefined)
  return { ...environment, faults: Array.from({ length: 10 }, () => forget) }
}
