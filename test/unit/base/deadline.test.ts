import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDeadline } from '../../../src/base/deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LIMIT = 10_000
const STEPS = ['app', 'key store', 'database', 'telemetry']
const never = () => new Promise<never>(() => undefined)

/** Closes all steps one after the other, as a server does. */
function createResources(
  deadline: ReturnType<typeof createDeadline>,
  close: (name: string) => Promise<unknown>,
) {
  const begun: string[] = []
  const resources = new AsyncDisposableStack()
  for (const name of STEPS.toReversed()) {
    resources.defer(() => {
      begun.push(name)
      return deadline.wait(close(name))
    })
  }
  return { resources, begun }
}

it.each(STEPS)('if the %s hangs, all steps still begin, and the time limit holds', async (hanging) => {
  const deadline = createDeadline(LIMIT)
  const { resources, begun } = createResources(deadline, (name) =>
    name === hanging ? never() : Promise.resolve(),
  )
  const ended = vi.fn()
  deadline.start()
  // The requests in flight.
  await vi.advanceTimersByTimeAsync(7_000)
  void resources.disposeAsync().then(ended)
  await vi.advanceTimersByTimeAsync(2_990)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(20)
  expect(ended).toHaveBeenCalledOnce()
  expect(begun).toEqual(STEPS)
  expect(vi.getTimerCount()).toBe(0)
})

it('steps that take up to their own limits share the time', async () => {
  const own: Record<string, number> = { app: 0, 'key store': 1_000, database: 1_500, telemetry: 2_000 }
  const deadline = createDeadline(LIMIT)
  const { resources, begun } = createResources(
    deadline,
    (name) => new Promise((resolve) => setTimeout(resolve, own[name])),
  )
  const ended = vi.fn()
  deadline.start()
  await vi.advanceTimersByTimeAsync(7_000)
  void resources.disposeAsync().then(ended)
  await vi.advanceTimersByTimeAsync(3_010)
  expect(ended).toHaveBeenCalledOnce()
  expect(begun).toEqual(STEPS)
})

it('a step that fails does not keep the others from closing, and its error is not lost', async () => {
  const deadline = createDeadline(LIMIT)
  const { resources, begun } = createResources(deadline, (name) =>
    name === 'app' ? Promise.reject(new Error('broken')) : Promise.resolve(),
  )
  await expect(resources.disposeAsync()).rejects.toThrow('broken')
  expect(begun).toEqual(STEPS)
})
