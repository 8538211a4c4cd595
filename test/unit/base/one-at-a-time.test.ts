import { expect, it } from 'vitest'
import { oneAtATime } from '../../../src/base/one-at-a-time.ts'

/** Work whose runs end when the test says so. */
function createWork() {
  const runs: PromiseWithResolvers<undefined>[] = []
  const start = oneAtATime(() => {
    const run = Promise.withResolvers<undefined>()
    runs.push(run)
    return run.promise.then(() => undefined)
  })
  return { runs, start }
}
const settle = () => new Promise(setImmediate)

it('work runs at once; calls during a run are one more run after it', async () => {
  const { runs, start } = createWork()
  const calls = [start(), start(), start()]
  expect(runs).toHaveLength(1)
  runs[0]?.resolve(undefined)
  await settle()
  expect(runs).toHaveLength(2)
  runs[1]?.resolve(undefined)
  await Promise.all(calls)
  expect(runs).toHaveLength(2)
})

it('work that has ended starts again', async () => {
  const { runs, start } = createWork()
  for (const index of [0, 1, 2]) {
    const done = start()
    runs[index]?.resolve(undefined)
    await done
  }
  expect(runs).toHaveLength(3)
})
