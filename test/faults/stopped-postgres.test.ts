/** A Postgres that crashes under load, three times. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { logLines } from '../support/process.ts'
import { connectKeepingAlive, endServersAfter, print, report, startServer } from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
endServersAfter(afterEach)
afterAll(() => postgres.remove())

it('three immediate stops under load lose nothing that was acknowledged, and requests get 503 meanwhile', async () => {
  const { url, client, program } = await startServer({ DATABASE_URL: postgres.url })
  const traffic = startTraffic(connectKeepingAlive(url), { writers: 4, readers: 4 })
  const delays: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const before = traffic.succeeded
    await eventually(() => expect(traffic.succeeded).toBeGreaterThan(before + 1_000))
    await postgres.stop('immediate')
    const failures = traffic.failed.get(503) ?? 0
    await eventually(() => expect(traffic.failed.get(503) ?? 0).toBeGreaterThan(failures + 20))
    const success = traffic.nextSuccess()
    await postgres.start()
    const back = performance.now()
    delays.push(((await success) - back) / 1_000)
  }
  await traffic.stop()

  expect(await findLost(client, traffic.created)).toEqual([])
  expect([...traffic.failed.keys()]).toEqual([503])
  for (const message of ['database connection lost', 'database connection restored'])
    expect(logLines(program, message)).toHaveLength(3)
  const slowest = Math.max(0, ...delays)
  expect(slowest).toBeLessThanOrEqual(5)
  report(
    `3 immediate stops: ${print(traffic.created.size)} creations acknowledged, 0 lost, ` +
      `${traffic.failed.get(503)} answers 503, first success ${slowest.toFixed(1)} s after Postgres is back at the latest`,
  )
})
