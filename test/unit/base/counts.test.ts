import { expect, it } from 'vitest'
import { Counts } from '../../../src/base/counts.ts'

it('each name has its own count, and the total is that of all', () => {
  const counts = new Counts<string>()
  counts.add('ann', 2)
  counts.add('bob', 3)
  counts.add('ann', -1)
  expect([counts.of('ann'), counts.of('bob'), counts.of('cleo'), counts.total]).toEqual([1, 3, 0, 4])
  counts.add('bob', -3)
  expect([counts.of('bob'), counts.total]).toEqual([0, 1])
})
