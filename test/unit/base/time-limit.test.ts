import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitAtMost } from '../../../src/base/time-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('work that ends in time has its result, or its error, and leaves no timer', async () => {
  const set = vi.spyOn(globalThis, 'setTimeout')
  const clear = vi.spyOn(globalThis, 'clearTimeout')
  expect(await waitAtMost(1_001, Promise.resolve(7))).toBe(7)
  await expect(waitAtMost(1_002, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  for (const milliseconds of [1_001, 1_002]) {
    const call = set.mock.calls.findIndex(([, delay]) => delay === milliseconds)
    expect(clear).toHaveBeenCalledWith(set.mock.results[call]?.value)
  }
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
