import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeRate, showProgress } from '../../../src/transfer/progress.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('there is a line every three seconds', () => {
  const print = vi.spyOn(console, 'error').mockReturnValue()
  const progress = showProgress('reading', 'pets', 1_000)
  vi.advanceTimersByTime(2_000)
  progress.update(24_690, 250)
  expect(print).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  progress[Symbol.dispose]()
  vi.advanceTimersByTime(10_000)
  expect(print.mock.calls).toEqual([['reading: 24,690 pets, 25 %, 8,230 pets/s, 9.0 s left']])
})

it('if the size is unknown, so is the time that is left', () => {
  const print = vi.spyOn(console, 'error').mockReturnValue()
  using progress = showProgress('reading', 'pets', null)
  progress.update(37_035, 250)
  vi.advanceTimersByTime(3_000)
  expect(print).toHaveBeenCalledWith('reading: 37,035 pets, 12,345 pets/s')
})

it.each([
  [0, 0, '0 pets in 0.0 s (0 pets/s)'],
  [1, 40, '1 pet in 0.0 s (25 pets/s)'],
  [2_000, 9_940, '2,000 pets in 9.9 s (201 pets/s)'],
  [5, 59_000, '5 pets in 59 s (0 pets/s)'],
  [5, 125_000, '5 pets in 2 min 5 s (0 pets/s)'],
])('%i pets in %i milliseconds are described', (pets, milliseconds, text) => {
  const started = performance.now()
  vi.advanceTimersByTime(milliseconds)
  expect(describeRate(pets, 'pet', started)).toBe(text)
})
