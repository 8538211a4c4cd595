import { describe, expect, it } from 'vitest'
import { readToken, toToken } from '../../../../src/db/standbys/consistency-token.ts'
import { isReached, laterOf, type WalPosition, toPosition } from '../../../../src/db/standbys/wal-position.ts'

const at = (timeline: number, lsn: bigint, standby: string | null = null): WalPosition => ({
  timeline,
  lsn,
  standby,
})

it.each([
  ['the same position', at(1, 5n), at(1, 5n), true],
  ['further', at(1, 6n), at(1, 5n), true],
  ['not as far', at(1, 4n), at(1, 5n), false],
  ['as bytes, not as text', at(1, 10n), at(1, 9n), true],
  ['a later timeline, which began before what was lost', at(2, 4n), at(1, 5n), true],
  ['an earlier timeline, which went on', at(1, 9n), at(2, 5n), false],
  ['a standby at the end of what was read', at(1, 5n, 'one'), at(1, 5n), true],
  ['the standby that was read', at(1, 5n, 'one'), at(1, 5n, 'one'), true],
  [
    'another one, which may lack the record that the first was about to report',
    at(1, 5n, 'two'),
    at(1, 5n, 'one'),
    false,
  ],
  ['another one, which has that record', at(1, 6n, 'two'), at(1, 5n, 'one'), true],
  ['the standby that was read, before that', at(1, 4n, 'one'), at(1, 5n, 'one'), false],
  ['another one, on a later timeline', at(2, 4n, 'two'), at(1, 5n, 'one'), true],
])('whether a position is reached by %s', (_, position, wanted, expected) => {
  expect(isReached(position, wanted)).toBe(expected)
})

it.each([
  ['nothing and a position', null, at(1, 5n), at(1, 5n)],
  ['an earlier and a later one', at(1, 5n), at(1, 6n), at(1, 6n)],
  ['a later and an earlier one', at(1, 6n, 'one'), at(1, 5n, 'two'), at(1, 6n, 'one')],
  ['an earlier and a later timeline', at(1, 6n), at(2, 5n), at(2, 5n)],
  ['a later and an earlier timeline', at(2, 5n), at(1, 6n), at(2, 5n)],
  ['the end of what was read, and a standby there', at(1, 5n), at(1, 5n, 'one'), at(1, 5n, 'one')],
  ['a standby, and the end of what was read there', at(1, 5n, 'one'), at(1, 5n), at(1, 5n, 'one')],
  [
    'two standbys at the same place: only what is further is after both',
    at(1, 5n, 'one'),
    at(1, 5n, 'two'),
    at(1, 6n),
  ],
])('the later of %s', (_, one, other, expected) => {
  expect(laterOf(one, other)).toEqual(expected)
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

  it.each([
    [at(26, 2n ** 63n), 'abc_-123.1a.8000000000000000'],
    [at(26, 2n ** 63n, 'standby1'), 'abc_-123.1a.8000000000000000.standby1'],
  ])('is visible ASCII, and is read again', (position, token) => {
    expect(toToken('abc_-123', position)).toBe(token)
    expect(readToken('abc_-123', token)).toEqual(position)
  })

  it.each([
    ...[`${token}0`, ` ${token}`, token.toUpperCase(), `${token}, ${token}`, 'abc_-123.1a', 'abc_-123.0.1'],
    ...[`${token}.`, `${token}.short`, `${token}.too-long-`, `${token}.standby1.standby1`],
    ...['', '..', 'abc_-123.-1.1', 'abc_-124.1a.5'],
  ])('%j is ignored', (sent) => expect(readToken('abc_-123', sent)).toBeNull())
})
