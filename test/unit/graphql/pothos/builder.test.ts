import {
  assertScalarType,
  coerceInputLiteral,
  coerceInputValue,
  parseConstValue,
  validateInputLiteral,
  validateInputValue,
} from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../../src/server/schema.ts'

const int64 = assertScalarType(schema.getType('Int64'))
const problem = 'Int64 must be an integer from -9223372036854775808 to 9223372036854775807'

it.each([
  ['9223372036854775807', '9223372036854775807'],
  [-7, '-7'],
  [-0, '0'],
  [2 ** 53 - 1, '9007199254740991'],
  [-(2 ** 53) + 1, '-9007199254740991'],
])('an Int64 in variables may be %j', (value, digits) => expect(coerceInputValue(value, int64)).toBe(digits))

it.each([
  ...['', ' 7', '07', '7.0', '9223372036854775808', '-9223372036854775809', '-0'],
  ...[1.5, 2 ** 53, -(2 ** 53), Infinity, NaN, true, [7], { digits: '7' }],
])('an Int64 in variables must not be %o', (value) => {
  const problems: string[] = []
  validateInputValue(value, int64, ({ message }) => problems.push(message))
  expect(problems).toEqual([expect.stringContaining(problem)])
})

it.each([
  ['-7', '-7'],
  ['-0', '0'],
  ['"7"', '7'],
  ['"""7"""', '7'],
  ['"9223372036854775807"', '9223372036854775807'],
  ['9007199254740991', '9007199254740991'],
  ['-9007199254740991', '-9007199254740991'],
])('an Int64 in a document may be %s, and is exact', (literal, digits) => {
  expect(coerceInputLiteral(parseConstValue(literal), int64)).toBe(digits)
})

it.each([
  ...[
    '9007199254740992',
    '-9007199254740992',
    '9223372036854775807',
    '"9223372036854775808"',
    '"-0"',
    '1.0',
    '1e3',
    'true',
    '[7]',
    '{}',
    'A',
    '""',
    '" 7"',
  ],
])('an Int64 in a document must not be %s', (literal) => {
  const problems: string[] = []
  validateInputLiteral(parseConstValue(literal), int64, ({ message }) => problems.push(message))
  expect(problems).toEqual([expect.stringContaining(problem)])
})
