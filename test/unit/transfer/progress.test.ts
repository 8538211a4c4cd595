import { expect, it, vi } from 'vitest'
import { describeResult, showProgress } from '../../../src/transfer/progress.ts'

it('where stderr is no terminal, there are lines that say how far it has got', () => {
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const progress = showProgress('importing', 'pets', 1_000)
  progress.update(24_690, 250)
  progress[Symbol.dispose]()
  expect(written.join('')).toMatch(/importing: 0 pets \[-+\] 0 %\nimporting: 24,690 pets \[=+-+\] 25 %\n/)
})

it('if the size is unknown, so is the share', () => {
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const progress = showProgress('importing', 'pets', null)
  progress.update(37_035, 250)
  progress[Symbol.dispose]()
  expect(written.join('')).toMatch(/^importing: 0 pets\nimporting: 37,035 pets\n$/)
})

it.each([
  [0, 0, '0 pets in 0.0 s'],
  [1, 40, '1 pet in 0.0 s'],
  [2_000, 9_940, '2,000 pets in 9.9 s'],
])('%i pets in %i milliseconds are described', (pets, milliseconds, text) => {
  vi.spyOn(performance, 'now').mockReturnValue(milliseconds)
  expect(describeResult(pets, 'pet', 0)).toBe(text)
})
