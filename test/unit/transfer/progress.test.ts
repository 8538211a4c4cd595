import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeRate, type ProgressOutput, showProgress } from '../../../src/transfer/progress.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function createOutput(isTTY: boolean): ProgressOutput & { text: () => string } {
  const stream = new PassThrough()
  return Object.assign(stream, { isTTY, text: () => String(stream.read() ?? '') })
}

it('without a terminal, there is a line every three seconds', () => {
  const output = createOutput(false)
  const progress = showProgress(output, { label: 'reading', many: 'pets' }, 1_000)
  vi.advanceTimersByTime(2_000)
  progress.update(24_690, 250)
  expect(output.text()).toBe('')
  vi.advanceTimersByTime(1_000)
  expect(output.text()).toBe('reading: 24,690 pets, 25 %, 8,230 pets/s, 9.0 s left\n')
  progress[Symbol.dispose]()
  vi.advanceTimersByTime(10_000)
  expect(output.text()).toBe('')
})

it('if the size is unknown, so is the time that is left', () => {
  const output = createOutput(false)
  using progress = showProgress(output, { label: 'reading', many: 'pets' }, null)
  progress.update(37_035, 250)
  vi.advanceTimersByTime(3_000)
  expect(output.text()).toBe('reading: 37,035 pets, 12,345 pets/s\n')
})

it('a terminal has one line, which is cut where the terminal ends, and goes when the phase does', () => {
  const output = Object.assign(createOutput(true), { columns: 40 })
  const progress = showProgress(output, { label: 'storing', many: 'pets' }, 100)
  progress.update(50, 50)
  vi.advanceTimersByTime(200)
  expect(output.text()).toBe('\r\x1b[Kstoring: 50 pets, 50 %, 250 pets/s, 0.2')
  progress[Symbol.dispose]()
  expect(output.text()).toBe('\r\x1b[K')
  vi.advanceTimersByTime(10_000)
  expect(output.text()).toBe('')
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
