import { describe, expect, it } from 'vitest'
import { catalogue, ServiceError, throwIfInvalid } from '../../../src/base/service-error.ts'

describe('the catalogue', () => {
  it.each(Object.entries(catalogue))(
    '%s has an HTTP error status and a message',
    (_, { status, message }) => {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(600)
      expect(message).not.toBe('')
    },
  )
})

describe('a ServiceError', () => {
  it('has the status and the message of its code', () => {
    expect(new ServiceError('PET_NOT_FOUND')).toMatchObject({
      name: 'ServiceError',
      code: 'PET_NOT_FOUND',
      status: 404,
      message: 'No pet has this id.',
      problems: [],
    })
  })

  it('may have a specific message, problems and a cause', () => {
    const problems = [{ argument: 'first', message: 'wrong' }]
    expect(new ServiceError('INVALID_VALUE', 'wrong', { problems, cause: '22003' })).toMatchObject({
      message: 'wrong',
      problems,
      cause: '22003',
    })
  })

  it('has no stack trace, and does not affect that of other errors', () => {
    expect(new ServiceError('INTERNAL').stack).not.toContain('\n    at ')
    expect(new Error('other').stack).toContain('\n    at ')
  })
})

describe('invalid values', () => {
  const [first, second] = [
    { argument: 'first', message: 'first is wrong.' },
    { argument: 'after', message: 'after is wrong.' },
  ]

  it('are thrown together', () => {
    expect(() => throwIfInvalid([null, first, null, second])).toThrow(
      expect.objectContaining({
        code: 'INVALID_VALUE',
        message: 'first is wrong. after is wrong.',
        problems: [first, second],
      }),
    )
  })

  it('are not thrown if there are none', () => {
    expect(() => throwIfInvalid([])).not.toThrow()
    expect(() => throwIfInvalid([null, null])).not.toThrow()
  })
})
