import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitAtMost } from '../../../src/base/time-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

it('work that ends in time has its result, or its error', async () => {
  expect(await waitAtMost(1_000, Promise.resolve(7))).toBe(7)
  await expect(waitAtMost(1_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

it('work that hangs is given up when the time is over', async () => {
  const ended = vi.fn()
  void waitAtMost(1_000, new Promise(() => undefined)).then(ended)
  await vi.advanceTimersByTimeAsync(999)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(2)
  expect(ended).toHaveBeenCalledWith(undefined)
})

it('work whose result arrives while the process is held up has its result', async () => {
  vi.useRealTimers()
  const result = waitAtMost(1, new Promise((resolve) => setImmediate(() => resolve(7))))
  const start = performance.now()
  while (performance.now() - start < 10);
  expect(await result).toBe(7)
  vi.useFakeTimers()
})
