/** Real servers whose database or clients are wrong in one way: the checker finds each. */
import { afterAll, expect, it } from 'vitest'
import { endServersAfter } from '../faults/server.ts'
import { runOn } from '../support/postgres.ts'
import { findContradictions } from './check.ts'
import { type Environment, usePostgres, useStandbys } from './environments.ts'
import { recordRound } from './rounds.ts'

/** Enough to find each fault. */
const FEW = { seed: 1, histories: 5, operations: 300 }

const mutants: [name: string, use: () => Promise<Environment>, found: RegExp][] = [
  ['writes are acknowledged before they are committed', useEarly, /cannot all be true/],
  ['idempotency keys are forgotten', useForgetful, /was created twice/],
  ['what standbys show is older than said', useImpatient, /cannot all be true/],
]

endServersAfter(afterAll)

it.each(mutants)('the checker finds that %s', async (_, use, found) => {
  const environment = await use()
  try {
    const recorders = await recordRound(environment, FEW)
    // One by one, until one is found.
    const contradictions = recorders.values().flatMap(({ history }) => findContradictions(history))
    expect(contradictions.some((contradiction) => found.test(contradiction))).toBe(true)
  } finally {
    await environment.remove()
  }
})

/** Its Postgres answers before a commit is safe, and writes its log seldom. */
async function useEarly(): Promise<Environment> {
  const environment = await usePostgres({ synchronous_commit: 'off', wal_writer_delay: '10s' })
  // The tables are not lost.
  await runOn(environment.databaseUrl, 'checkpoint')
  return environment
}

async function useForgetful(): Promise<Environment> {
  const environment = await usePostgres()
  const forget = () => runOn(environment.databaseUrl, 'delete from idempotency_keys').then(() => undefined)
  return { ...environment, faults: Array.from({ length: 10 }, () => forget) }
}

/** Its clients expect more of standbys than the server promises. */
async function useImpatient(): Promise<Environment> {
  return { ...(await useStandbys(['500ms', '500ms'])), maxAge: 100 }
}
