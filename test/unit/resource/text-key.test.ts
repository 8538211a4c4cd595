import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isBefore, rangeOfPrefix } from '../../../src/resource/text-key.ts'

/** At the borders of UTF-16 units and of the surrogates, and the last one of all. */
const character = fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '🐕', '\u{10ffff}')
const text = fc.string({ unit: character, maxLength: 3 })

it('the range of a prefix has every key that starts with it, and no other', () => {
  fc.assert(
    fc.property(text, text, (prefix, key) => {
      const { low = '', high } = rangeOfPrefix(prefix)
      const isInRange = !isBefore(key, low) && (high === undefined || isBefore(key, high))
      expect(isInRange).toBe(key.startsWith(prefix))
      // Postgres takes no lone surrogate.
      expect(high?.isWellFormed()).not.toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

it('no prefix has no bounds, and one of nothing but the last character has no upper bound', () => {
  for (const prefix of [undefined, '']) expect(rangeOfPrefix(prefix)).toEqual({})
  expect(rangeOfPrefix('\u{10ffff}\u{10ffff}')).toEqual({ low: '\u{10ffff}\u{10ffff}' })
})

it('keys are ordered by code point, unlike by <', () => {
  const pointsOf = (key: string) => Array.from(key, (one) => one.codePointAt(0) ?? 0)
  fc.assert(
    fc.property(text, text, (key, other) => {
      const [points, others] = [pointsOf(key), pointsOf(other)]
      const at = points.findIndex((point, index) => point !== others[index])
      const expected = at < 0 ? points.length < others.length : (points[at] ?? 0) < (others[at] ?? -1)
      expect(isBefore(key, other)).toBe(expected)
    }),
  )
})
