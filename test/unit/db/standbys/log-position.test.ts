import { describe, expect, it } from 'vitest'
import {
  isReached,
  laterOf,
  type LogPosition,
  readToken,
  toPosition,
  toToken,
} from '../../../../src/db/standbys/log-position.ts'

const at = (timeline: number, lsn: bigint): LogPosition => ({ timeline, lsn })

it.each([
  ['the same position', at(1, 5n), at(1, 5n), true],
  ['further', at(1, 6n), at(1, 5n), true],
  ['not as far', at(1, 4n), at(1, 5n), false],
  ['as bytes, not as text', at(1, 10n), at(1, 9n), true],
  ['a later timeline, which began before what was lost', at(2, 4n), at(1, 5n), true],
  ['an earlier timeline, which went on', at(1, 9n), at(2, 5n), false],
])('a position reaches another one unless it is earlier: %s', (_, position, wanted, expected) => {
  expect(isReached(position, wanted)).toBe(expected)
  expect(laterOf(position, wanted)).toEqual(expected ? position : wanted)
})

it('of nothing and a position, the position is later', () => {
  expect(laterOf(null, at(1, 5n))).toEqual(at(1, 5n))
})

it.each([
  [['0000001A', '9223372036854775807'], at(26, 9223372036854775807n)],
  [['1a', '0', 'more'], at(26, 0n)],
  [[null, '5'], null],
  [['1', null], null],
  [[], null],
])('the row %j', (row, position) => expect(toPosition(row)).toEqual(position))

describe('a token', () => {
  const token = toToken('abc_-123', at(26, 2n ** 63n))

  it('is visible ASCII, and is read again', () => {
    expect(token).toBe('abc_-123.1a.8000000000000000')
    expect(readToken('abc_-123', token)).toEqual(at(26, 2n ** 63n))
  })

  it.each([
    ...[`${token}0`, ` ${token}`, token.toUpperCase(), `${token}, ${token}`, 'abc_-123.1a', 'abc_-123.0.1'],
    ...['', '..', 'abc_-123.-1.1', 'abc_-124.1a.5'],
  ])('%j is ignored', (sent) => expect(readToken('abc_-123', sent)).toBeNull())
})
