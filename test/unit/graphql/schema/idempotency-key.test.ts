import { describe, expect, it } from 'vitest'
import { checkIdempotencyKey } from '../../../../src/graphql/schema/idempotency-key.ts'

describe('an idempotency key', () => {
  it.each([null, undefined, '!', '~', 'a', 'x'.repeat(255)])('is valid: %j', (key) => {
    expect(checkIdempotencyKey(key)).toBeNull()
  })

  it.each(['', ' ', 'a b', 'é', '\x7f', 'a\n', 'x'.repeat(256)])('is invalid: %j', (key) => {
    expect(checkIdempotencyKey(key)).toMatchObject({ argument: 'idempotencyKey' })
  })
})
