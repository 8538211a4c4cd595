import { expect, it } from 'vitest'
import { parseInt64, parseJsonInt64 } from '../../src/int64.ts'

it.each([
  ['0', 0n],
  ['-1', -1n],
  ['9223372036854775807', 2n ** 63n - 1n],
  ['-9223372036854775808', -(2n ** 63n)],
])('digits: %s', (digits, value) => expect(parseInt64(digits)).toBe(value))

it.each([
  '',
  '-',
  '-0',
  '+1',
  '01',
  '1.0',
  '1e1',
  ' 1',
  '1 ',
  '1n',
  '0x1',
  '1_0',
  '9223372036854775808',
  '١',
  '1'.repeat(100),
])('no digits: %j', (digits) => expect(parseInt64(digits)).toBeNull())

it.each([
  ['0', 0n],
  ['-0', 0n],
  ['0.00', 0n],
  ['0e99', 0n],
  ['12', 12n],
  ['12.0', 12n],
  ['1200e-2', 12n],
  ['1.2e1', 12n],
  ['0.0012E+4', 12n],
  ['-9223372036854775808.0', -(2n ** 63n)],
  ['92233720368547758070e-1', 2n ** 63n - 1n],
  ['9.007199254740993e15', 9007199254740993n],
])('a JSON integer: %s', (source, value) => expect(parseJsonInt64(source)).toBe(value))

it.each([
  '',
  '0.1',
  '12e-1',
  '1e-400',
  '1e19',
  '9223372036854775808',
  '1e99999999999999999999',
  `1${'0'.repeat(200)}`,
])('no JSON integer of 64 bits: %j', (source) => expect(parseJsonInt64(source)).toBeNull())
