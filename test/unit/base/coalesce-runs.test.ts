import { expect, it } from 'vitest'
import { coalesceRuns } from '../../../src/base/coalesce-runs.ts'

/** Work whose runs the test ends, in their order. */
function createWork() {
  const runs: PromiseWithResolvers<undefined>[] = []
  const work = () => {
    const run = Promise.withResolvers<undefined>()
    runs.push(run)
    return run.promise
  }
  return { runs, request: coalesceRuns(work) }
}

const settle = () => new Promise(setImmediate)

it('what is requested during a run is one more run, after it', async () => {
  const { runs, request } = createWork()
  const requested = [request(), request(), request()]
  expect(runs).toHaveLength(1)
  runs[0]?.resolve(undefined)
  await settle()
  expect(runs).toHaveLength(2)
  runs[1]?.resolve(undefined)
  await Promise.all(requested)
  expect(runs).toHaveLength(2)
  void request()
  expect(runs).toHaveLength(3)
})

it('a run that fails does not end those after it', async () => {
  const { runs, request } = createWork()
  const failed = request()
  runs[0]?.reject(new Error('failed'))
  await expect(failed).rejects.toThrow('failed')
  const next = request()
  expect(runs).toHaveLength(2)
  runs[1]?.resolve(undefined)
  await next
})
