import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDeadline } from '../../../src/base/deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const NEVER = 60_000

it.each([
  [[NEVER, 0, 0, 0]],
  [[0, NEVER, 0, 0]],
  [[0, 0, 0, NEVER]],
  // Within their own limits, but not together.
  [[0, 1_000, 1_500, 2_000]],
])('steps that take %j ms all begin, and end with the time that is left of 10 s', async (durations) => {
  const deadline = createDeadline(10_000)
  const [begun, ended] = [vi.fn(), vi.fn()]
  const waitForAll = async () => {
    for (const duration of durations) {
      begun(duration)
      await deadline.wait(new Promise((resolve) => setTimeout(resolve, duration)))
    }
  }
  deadline.start()
  // The requests in flight.
  await vi.advanceTimersByTimeAsync(7_000)
  void waitForAll().then(ended)
  await vi.advanceTimersByTimeAsync(2_990)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(20)
  expect(ended).toHaveBeenCalledOnce()
  expect(begun.mock.calls.flat()).toEqual(durations)
})

it('the error of a step is not lost, and leaves no timer', async () => {
  const step = Promise.reject(new Error('broken'))
  await expect(createDeadline(10_000).wait(step)).rejects.toThrow('broken')
  expect(vi.getTimerCount()).toBe(0)
})
