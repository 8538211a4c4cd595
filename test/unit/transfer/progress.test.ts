import { expect, it, onTestFinished, vi } from 'vitest'
import { describeResult, showProgress } from '../../../src/transfer/progress.ts'

it('where stderr is no terminal, there are lines that say how far it has got', () => {
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const progress = showProgress('importing', 'crates', 1_000)
  progress.update(24_690, 250)
  progress[Symbol.dispose]()
  expect(written.join('')).toMatch(/importing: 0 crates \[-+\] 0 %\nimporting: 24,690 crates \[=+-+\] 25 %/)
})

it('before the end, the lines say how long the remaining items take', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const progress = showProgress('importing', 'crates', 1_000)
  vi.advanceTimersByTime(10_000)
  progress.update(1, 250)
  vi.advanceTimersByTime(3_000)
  progress.update(2, 1_000)
  progress[Symbol.dispose]()
  const [first, ...others] = written.filter((text) => text.includes('%'))
  expect(first).toMatch(/ 0 %$/)
  expect(others.slice(-2)).toEqual([
    expect.stringMatching(/ 25 %, 30 s left$/),
    expect.stringMatching(/ 100 %$/),
  ])
})

it('if the size is unknown, the lines have no percentage', () => {
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const progress = showProgress('importing', 'crates', null)
  progress.update(37_035, 250)
  progress[Symbol.dispose]()
  expect(written.join('')).toMatch(/^importing: 0 crates\nimporting: 37,035 crates\n$/)
})

it.each([
  [0, 0, '0 boxes in 0.0 s'],
  [1, 40, '1 box in 0.0 s'],
  [2_000, 9_940, '2,000 boxes in 9.9 s'],
])('%i items in %i milliseconds are described', (items, milliseconds, text) => {
  vi.spyOn(performance, 'now').mockReturnValue(milliseconds)
  expect(describeResult(items, { singular: 'box', plural: 'boxes' }, 0)).toBe(text)
})
