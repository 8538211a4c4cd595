import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  formatCount,
  formatRate,
  formatSeconds,
  type ProgressOutput,
  showProgress,
} from '../../../src/transfer/progress.ts'

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
  [0.04, '0.0 s'],
  [9.94, '9.9 s'],
  [59, '59 s'],
  [125, '2 min 5 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text)
})

it('the rate of no time is 0', () => {
  expect(formatRate(5, 0, 'pets')).toBe('0 pets/s')
})

it.each([
  [0, '0 bad lines'],
  [1, '1 bad line'],
  [2_000, '2,000 bad lines'],
])('a count agrees with its noun: %d', (count, text) => {
  expect(formatCount(count, 'bad line')).toBe(text)
})
