import { expect, it } from 'vitest'
import { createOperationLabels } from '../../../src/telemetry/bounded-labels.ts'

it('the first hundred names become labels, and trusted ones always', () => {
  const labelOf = createOperationLabels([
    'query Trusted { a } mutation Other { b }',
    '{ anonymous }',
    'not a document',
  ])
  const labels = Array.from({ length: 10_000 }, (_, index) => labelOf(`Op${index}`))
  expect(new Set(labels).size).toBe(101)
  expect(labels.slice(0, 100)).toEqual(labels.slice(0, 100).map((_, index) => `Op${index}`))
  expect(labelOf('Op5')).toBe('Op5')
  expect(labelOf('Op100')).toBe('_OTHER')
  expect([labelOf('Trusted'), labelOf('Other')]).toEqual(['Trusted', 'Other'])
})
