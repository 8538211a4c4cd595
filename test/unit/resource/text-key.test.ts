import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBefore, type KeyRange, rangeOfPrefix } from '../../../src/resource/text-key.ts'

describe('the range of the keys that start with a prefix', () => {
  it.each<[string, string | undefined, KeyRange]>([
    ['no prefix', undefined, {}],
    ['an empty prefix', '', {}],
    ['one character', 'r', { low: 'r', high: 's' }],
    ['several characters', 're', { low: 're', high: 'rf' }],
    ['a line break', '\n', { low: '\n', high: '\v' }],
    ['a character beyond 16 bits', '🐕', { low: '🐕', high: '🐖' }],
    ['the character before the surrogates', 'r\ud7ff', { low: 'r\ud7ff', high: 'r\ue000' }],
    ['the last character of 16 bits', 'r\uffff', { low: 'r\uffff', high: 'r\u{10000}' }],
    ['the last character but one', 'r\u{10fffe}', { low: 'r\u{10fffe}', high: 'r\u{10ffff}' }],
    ['the last character of all', 'r\u{10ffff}', { low: 'r\u{10ffff}', high: 's' }],
    [
      'the last character several times',
      'r\u{10ffff}\u{10ffff}',
      { low: 'r\u{10ffff}\u{10ffff}', high: 's' },
    ],
    ['only the last character', '\u{10ffff}\u{10ffff}', { low: '\u{10ffff}\u{10ffff}' }],
  ])('%s', (_, prefix, range) => {
    expect(rangeOfPrefix(prefix)).toEqual(range)
  })

  it('has every key that starts with the prefix, and no other', () => {
    const character = fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '🐕', '\u{10ffff}')
    const text = fc.string({ unit: character, maxLength: 3 })
    fc.assert(
      fc.property(text, text, (prefix, key) => {
        const { low = '', high } = rangeOfPrefix(prefix)
        const isInRange = !isBefore(key, low) && (high === undefined || isBefore(key, high))
        expect(isInRange).toBe(key.startsWith(prefix))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('keys are ordered by code point', () => {
  it.each([
    ['', 'a'],
    ['a', 'b'],
    ['a', 'aa'],
    ['Z', 'a'],
    ['z', 'é'],
    // JavaScript's < gives the opposite result, because it compares UTF-16 units.
    ['\uffee', '🐕'],
    ['\ue000', '\u{10ffff}'],
  ])('%j before %j', (key, other) => {
    expect([isBefore(key, other), isBefore(other, key)]).toEqual([true, false])
  })

  it.each(['', 'a', '🐕'])('%j not before itself', (key) => {
    expect(isBefore(key, key)).toBe(false)
  })
})
