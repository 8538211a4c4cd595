/** Ten minutes of a soak (SOAK_MINUTES: more); `npm run bench -- soak` does the same for ninety, and measures. */
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { print, report } from '../faults/server.ts'
import { startPostgres } from '../support/postgres.ts'
import { endPrograms } from '../support/process.ts'
import { seed } from '../support/seed.ts'
import { soak } from './soak.ts'

const MINUTES = Number(process.env.SOAK_MINUTES || 10)

afterAll(endPrograms)

it(`in ${MINUTES} minutes of restarts and new keys, no write is lost, no event missed, and no file left open`, async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const { windows, restarts, rotations, replacements, histories, subscribers, ...found } = await soak({
    minutes: MINUTES,
    seed,
    postgres,
    url: postgres.url,
  })
  const requests = windows.reduce((sum, window) => sum + window.requests, 0)
  report(
    `${restarts} restarts of Postgres, ${rotations} rotations of a key, ${replacements} replacements of one of two servers: ` +
      `${print(requests)} requests, ${histories} histories without contradictions, ` +
      `${print(subscribers.delivered)} events, 0 missed, SEED=${seed}`,
  )
  expect([restarts, rotations, replacements]).toEqual([8, 8, 5])
  expect({ ...found, missed: subscribers.missed }).toMatchObject({ contradictions: [], lost: [], missed: [] })
  const [early, late] = [windows.at(0), windows.at(-1)].map((window) =>
    window?.sample?.files.reduce((sum, files) => sum + files, 0),
  )
  expect(late).toBeLessThan(1.1 * (early ?? 0))
})
