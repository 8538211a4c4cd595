import { describe, expect, it } from 'vitest'
import {
  toPetFilter,
  validateFilter,
  validateIdempotencyKey,
  validateNotNull,
  validateText,
} from '../../../../src/pets/graphql/pet-inputs.ts'
import { createContext } from '../../support/context.ts'
import { createFakeDatabase } from '../../support/database.ts'

/** Different categories. */
const categories = (count: number) => Array.from({ length: count }, (_, index) => String(index))
const invalidFilters = (filter: Parameters<typeof validateFilter>[0]) =>
  validateFilter(filter).flatMap((problem) => problem?.argument ?? [])

describe('a filter', () => {
  it.each<[string, Parameters<typeof validateFilter>[0]]>([
    ['none', undefined],
    ['null', null],
    ['without conditions', {}],
    ['with conditions that are null', { status: null, categoryId: null, namePrefix: null }],
    ['of 50 categories', { categoryId: categories(50) }],
    ['of 50 categories, some of them repeated', { categoryId: [...categories(50), '1', '2'] }],
    ['of a prefix of 500 characters', { namePrefix: 'x'.repeat(500) }],
    ['of a prefix of 500 characters beyond 16 bits', { namePrefix: '🐕'.repeat(500) }],
  ])('is valid: %s', (_, filter) => expect(invalidFilters(filter)).toEqual([]))

  it.each<[string, Parameters<typeof validateFilter>[0], string[]]>([
    ['of 51 categories', { categoryId: categories(51) }, ['filter.categoryId']],
    ['of a prefix of 501 characters', { namePrefix: 'x'.repeat(501) }, ['filter.namePrefix']],
    ['of a prefix with U+0000', { namePrefix: 'a\0' }, ['filter.namePrefix']],
    [
      'of both',
      { categoryId: categories(51), namePrefix: '\ud800' },
      ['filter.categoryId', 'filter.namePrefix'],
    ],
  ])('is invalid: %s', (_, filter, invalid) => expect(invalidFilters(filter)).toEqual(invalid))

  it('has its prefix folded by the database', async () => {
    const context = createContext(createFakeDatabase(() => [['re']]))
    expect(await toPetFilter({ status: ['sold'], namePrefix: 'RE' }, context)).toEqual({
      status: ['sold'],
      categoryId: undefined,
      keyPrefix: 're',
    })
  })

  it.each([null, {}, { status: null, categoryId: null, namePrefix: null }, { namePrefix: '' }])(
    'without a condition does not query the database: %j',
    async (filter) => {
      const database = createFakeDatabase()
      expect(await toPetFilter(filter, createContext(database))).toEqual({
        status: undefined,
        categoryId: undefined,
        keyPrefix: undefined,
      })
      expect(database.statements).toEqual([])
    },
  )
})

describe('a text', () => {
  it.each([null, undefined, '', 'Rex', '\u0001', '🐕', '\uffff', '\u{10ffff}'])('is valid: %j', (text) => {
    expect(validateText('input.name', text)).toBeNull()
  })

  it.each(['\0', 'a\0b', '\ud800', 'a\udfff', '\udc15\ud83d'])('is invalid: %j', (text) => {
    expect(validateText('input.name', text)).toEqual({
      argument: 'input.name',
      message: 'name must be a string without U+0000 and without lone surrogates.',
    })
  })
})

describe('an idempotency key', () => {
  it.each([null, undefined, '!', '~', 'a', 'x'.repeat(255)])('is valid: %j', (key) => {
    expect(validateIdempotencyKey(key)).toBeNull()
  })

  it.each(['', ' ', 'a b', 'é', '\x7f', 'a\n', 'x'.repeat(256)])('is invalid: %j', (key) => {
    expect(validateIdempotencyKey(key)).toMatchObject({ argument: 'idempotencyKey' })
  })
})

it('null is invalid where a value cannot be unset', () => {
  expect(validateNotNull('input.name', null)).toEqual({
    argument: 'input.name',
    message: 'name must not be null.',
  })
  for (const value of [undefined, '', 0, false]) expect(validateNotNull('input.name', value)).toBeNull()
})
