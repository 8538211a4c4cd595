import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isInt64, MAX_INT64, MIN_INT64, parseJsonInt64 } from '../../../src/base/int64.ts'

/** Integers of any length, often at the limits. */
const integer = fc.oneof(
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
  fc.bigInt({ min: -1_000n, max: 1_000n }),
  fc
    .tuple(
      fc.constantFrom(MIN_INT64, MAX_INT64, 2n ** 53n, 10n ** 15n, 10n ** 18n),
      fc.bigInt({ min: -2n, max: 2n }),
    )
    .map(([limit, difference]) => limit + difference),
)
const isInRange = (value: bigint) => BigInt.asIntN(64, value) === value

/** Writes an integer as a JSON number with a fraction, an exponent, or both. */
const notations: ((value: bigint, zeros: number) => string)[] = [
  (value) => String(value),
  (value, zeros) => `${value}.0${'0'.repeat(zeros)}`,
  (value, zeros) => `${value}${'0'.repeat(zeros)}e-${zeros}`,
  (value) =>
    String(value).replace(
      /^(-?\d)(\d*)$/,
      (_, first, others: string) => `${first}.${others}0E+${others.length}`,
    ),
  (value, zeros) =>
    String(value).replace(/\d+/, (digits) => `0.${'0'.repeat(zeros)}${digits}e${digits.length + zeros}`),
]

it('an int64 is read from its digits, and from any JSON number that is the same integer', () => {
  fc.assert(
    fc.property(integer, fc.nat(70), (value, zeros) => {
      expect(isInt64(String(value))).toBe(isInRange(value))
      for (const write of notations)
        expect([write(value, zeros), parseJsonInt64(write(value, zeros))]).toEqual([
          write(value, zeros),
          isInRange(value) ? value : null,
        ])
      expect(parseJsonInt64(`${value}.5`)).toBeNull()
      expect(parseJsonInt64(`${value}1e-1`)).toBeNull()
    }),
    { numRuns: 1_000 },
  )
})

const malformed = ['', '-', '+1', ' 1', '1 ', '1n', '0x1', '1_0', '١', 'x', '1.', '.1']

it.each([...malformed, '-0', '01', '1.0', '1e1', '1'.repeat(100)])('%j is not an int64', (digits) =>
  expect(isInt64(digits)).toBe(false),
)

it.each([...malformed, '1e-400', '1e99999999999999999999', `1.${'0'.repeat(99)}`, `1${'0'.repeat(200)}`])(
  '%j is not a 64-bit JSON integer',
  (source) => expect(parseJsonInt64(source)).toBeNull(),
)

it.each(['-0', '0.00', '0e99', '0e400', '-0.0e-400'])('%s is the JSON integer 0', (source) =>
  expect(parseJsonInt64(source)).toBe(0n),
)
