import { expect, it } from 'vitest'
import { Counts } from '../../../src/base/counts.ts'

it('names are counted for themselves and together', () => {
  const counts = new Counts()
  counts.add('a', 3)
  counts.add('b', 2)
  counts.add('a', -1)
  expect([counts.of('a'), counts.of('b'), counts.of('c'), counts.total]).toEqual([2, 2, 0, 4])
})

it('many names that come and go are counted like few', () => {
  const counts = new Counts()
  counts.add('kept', 1)
  for (let index = 0; index < 1_000; index += 1) {
    counts.add(`n${index}`, 2)
    counts.add(`n${index}`, -2)
  }
  counts.add('n999', 1)
  expect([counts.of('kept'), counts.of('n0'), counts.of('n999'), counts.total]).toEqual([1, 0, 1, 2])
})
