import { expect, it } from 'vitest'
import { OperationNames } from '../../../src/telemetry/metrics.ts'

it('the first hundred names become labels, and trusted ones always', () => {
  const names = new OperationNames([
    'query Trusted { a } mutation Other { b }',
    '{ anonymous }',
    'not a document',
  ])
  const labels = Array.from({ length: 10_000 }, (_, index) => names.toLabel(`Op${index}`))
  expect(new Set(labels).size).toBe(101)
  expect(labels.slice(0, 100)).toEqual(labels.slice(0, 100).map((_, index) => `Op${index}`))
  expect(names.toLabel('Op5')).toBe('Op5')
  expect(names.toLabel('Op100')).toBe('_OTHER')
  expect([names.toLabel('Trusted'), names.toLabel('Other')]).toEqual(['Trusted', 'Other'])
})
