/** Random histories during faults: their answers do not contradict each other. README.md says how that is checked. */
import { afterAll, describe, expect, it } from 'vitest'
import { endServersAfter, print, report } from '../faults/server.ts'
import { isCitus } from '../support/citus.ts'
import { hasPgbouncer } from '../support/pgbouncer.ts'
import { findContradictions } from './check.ts'
import {
  type Environment,
  useCitus,
  useEmbedded,
  useFailover,
  usePooler,
  usePostgres,
  useStandbys,
} from './environments.ts'
import { recordRound } from './rounds.ts'
import { seed } from '../support/seed.ts'

const HISTORIES = Number(process.env.HISTORIES ?? 200)
/** The maximum number of histories that share the servers of a round. */
const AT_ONCE = 50

/** Which part of the histories takes place where; the embedded database is the slowest. */
const environments: [name: string, use: () => Promise<Environment>, part: number][] = [
  ['on the embedded database', useEmbedded, 0.1],
  ['on Postgres', usePostgres, 0.25],
  ['during a failover', useFailover, 0.2],
  ['with standbys', () => useStandbys(), 0.2],
]
if (hasPgbouncer) environments.push(['through PgBouncer', usePooler, 0.25])
if (await isCitus(process.env.TEST_DATABASE_URL)) environments.push(['on Citus', useCitus, 0.2])

const total = { histories: 0, operations: 0 }
endServersAfter(afterAll)
afterAll(() =>
  report(
    `${print(total.histories)} histories, ${print(total.operations)} operations, 0 contradictions, SEED=${seed}`,
  ),
)

describe.each(environments)('%s', (_, use, part) => {
  const count = Math.ceil(HISTORIES * part)
  const rounds = Math.ceil(count / AT_ONCE)
  const histories = Math.ceil(count / rounds)
  it.each(Array.from({ length: rounds }, (_, round) => round))(
    'the answers of round %i do not contradict each other',
    async (round) => {
      const environment = await use()
      try {
        const options = { seed: seed + histories * round, histories }
        for (const { history } of await recordRound(environment, options)) {
          expect(findContradictions(history)).toEqual([])
          total.histories += 1
          total.operations += history.length
        }
      } finally {
        await environment.remove()
      }
    },
  )
})
