import {
  assertScalarType,
  coerceInputLiteral,
  coerceInputValue,
  parseConstValue,
  validateInputLiteral,
  validateInputValue,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../../../../src/server/schema.ts'

const int64 = assertScalarType(schema.getType('Int64'))

/** What graphql-js reports for a value. */
function listProblems(validate: (onError: (error: Error) => void) => void): string[] {
  const problems: string[] = []
  validate(({ message }) => problems.push(message))
  return problems
}

describe('an Int64 in variables', () => {
  it.each([
    ['7', '7'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9223372036854775807', '9223372036854775807'],
    [0, '0'],
    [-7, '-7'],
    [2 ** 53 - 1, '9007199254740991'],
    [-(2 ** 53) + 1, '-9007199254740991'],
  ])('is accepted: %j', (value, digits) => expect(coerceInputValue(value, int64)).toBe(digits))

  it.each([
    ...['', ' 7', '07', '+7', '7.0', '0x7', '9223372036854775808', '-9223372036854775809', '-0'],
    ...[1.5, 2 ** 53, -(2 ** 53), Infinity, NaN, true, [7], { digits: '7' }],
  ])('is rejected: %o', (value) => {
    expect(listProblems((onError) => validateInputValue(value, int64, onError))).toEqual([
      expect.stringContaining('Int64 must be an integer from -9223372036854775808 to 9223372036854775807'),
    ])
  })
})

describe('an Int64 in a document', () => {
  it.each([
    ['7', '7'],
    ['-7', '-7'],
    ['"7"', '7'],
    ['"""7"""', '7'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
  ])('is accepted, and exact: %s', (literal, digits) => {
    expect(coerceInputLiteral(parseConstValue(literal), int64)).toBe(digits)
  })

  it.each([
    ...['9223372036854775808', '-9223372036854775809', '-0', '1.0', '1e3', 'true', '[7]', '{}', 'A', '""'],
    ...['"9223372036854775808"', '" 7"'],
  ])('is rejected: %s', (literal) => {
    const node = parseConstValue(literal)
    expect(listProblems((onError) => validateInputLiteral(node, int64, onError))).toEqual([
      expect.stringContaining('Int64 must be an integer from -9223372036854775808 to 9223372036854775807'),
    ])
  })
})
