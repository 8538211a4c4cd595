import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MAX_INT64, MIN_INT64 } from '../../../src/base/int64.ts'
import { toJsonInteger } from '../../../src/rest/json-integer.ts'

const int64 = fc.oneof(
  fc.bigInt({ min: MIN_INT64, max: MAX_INT64 }),
  // Around the longest numbers, and the shortest raw JSON.
  fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
  fc.constantFrom(MIN_INT64, MAX_INT64, 2n ** 53n + 1n, 10n ** 15n - 1n, 10n ** 15n),
)

it('an int64 is written to JSON as the same integer, as a number if that is exact', () => {
  fc.assert(
    fc.property(int64, (value) => {
      const written = toJsonInteger(String(value))
      expect(JSON.stringify([written])).toBe(`[${value}]`)
      if (value > -(10n ** 14n) && value < 10n ** 15n) expect(written).toBeTypeOf('number')
    }),
  )
})
