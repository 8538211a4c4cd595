import { expect, it } from 'vitest'
import { ServiceError, throwIfInvalid } from '../../../src/base/service-error.ts'

it('a ServiceError has no stack trace, and does not affect that of other errors', () => {
  expect(new ServiceError('INTERNAL').stack).not.toContain('\n    at ')
  expect(new Error('other').stack).toContain('\n    at ')
})

it('invalid values are thrown together', () => {
  const problems = [
    { argument: 'first', message: 'first is wrong.' },
    { argument: 'after', message: 'after is wrong.' },
  ] as const
  expect(() => throwIfInvalid([null, problems[0], null, problems[1]])).toThrow(
    expect.objectContaining({ code: 'INVALID_VALUE', message: 'first is wrong. after is wrong.', problems }),
  )
  expect(() => throwIfInvalid([null, null])).not.toThrow()
})
