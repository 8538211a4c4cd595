import { sql } from 'drizzle-orm'
import { pgTable, varchar } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { fixedStatement } from '../../../../src/db/postgres/statement.ts'
import {
  inputConditionsOf,
  matchesAll,
  optionalConditions,
  readConditions,
  whereAll,
} from '../../../../src/resource/lists/conditions.ts'
import { anyOf } from '../../../../src/resource/lists/filters.ts'
import { crateConditions, type CrateFilter, crateList } from '../../../support/crates.ts'
import { createFakeDatabase, createRequestData } from '../../support/database.ts'

const { filters } = crateList.description
type Input = CrateFilter | null | undefined

const read = (input: Input, database = createFakeDatabase(() => [['bo']])) =>
  readConditions(crateList.description, input, createRequestData(database))
const noConditions = { size: null, ownerId: null, labelPrefix: null }
/** Different owners. */
const owners = (count: number) => Array.from({ length: count }, (_, index) => String(index))

const shelves = pgTable('shelves', { code: varchar({ length: 4 }) })

describe('what a client sends as a filter', () => {
  it.each<[string, Input]>([
    ['none', undefined],
    ['null', null],
    ['without conditions', {}],
    ['with conditions that are null', noConditions],
    ['of as many values as it may have', { ownerId: owners(50) }],
    ['of as many, some of them repeated', { ownerId: [...owners(50), '1', '2'] }],
    ['of a prefix of 500 characters', { labelPrefix: 'x'.repeat(500) }],
    ['of a prefix of 500 characters beyond 16 bits', { labelPrefix: '🐕'.repeat(500) }],
  ])('is valid: %s', async (_, filter) => {
    await expect(read(filter)).resolves.toBeDefined()
  })

  it('is invalid for several reasons, which are all named', async () => {
    await expect(read({ ownerId: owners(51), labelPrefix: 'x'.repeat(501) })).rejects.toMatchObject({
      problems: [
        { argument: 'filter.ownerId', message: 'ownerId must have at most 50 different owners.' },
        { argument: 'filter.labelPrefix', message: 'labelPrefix must have at most 500 characters.' },
      ],
    })
  })

  it.each(['a\0', '\ud800'])('has only texts that Postgres can compare: not %j', async (text) => {
    const own = {
      code: anyOf(shelves.code, 'codes', 9),
      note: filters.note,
      labelPrefix: filters.labelPrefix,
    }
    const requestData = createRequestData(createFakeDatabase())
    const expected = 'be a string without U+0000 and without lone surrogates.'
    await expect(
      readConditions({ filters: own }, { code: ['a', text], note: text, labelPrefix: text }, requestData),
    ).rejects.toMatchObject({
      problems: [
        { argument: 'filter.code', message: `code must each ${expected}` },
        { argument: 'filter.note', message: `note must ${expected}` },
        { argument: 'filter.labelPrefix', message: `labelPrefix must ${expected}` },
      ],
    })
  })

  it('is normalized: its prefix is folded by the database, and it has each value once', async () => {
    const input: Input = { size: ['small', 'small'], ownerId: null, labelPrefix: 'BO' }
    expect(await read(input)).toEqual([
      { name: 'size', filter: filters.size, value: ['small'] },
      { name: 'labelPrefix', filter: filters.labelPrefix, value: 'bo' },
    ])
  })

  it.each<Input>([null, {}, noConditions, { labelPrefix: '' }])(
    'does not query the database if it has no condition: %j',
    async (filter) => {
      const database = createFakeDatabase()
      expect(await read(filter, database)).toEqual([])
      expect(database.statements).toEqual([])
    },
  )

  it('may have names of no filter, which are ignored', () => {
    for (const names of [{ colour: 'red' }, { constructor: 'red' }])
      expect(inputConditionsOf(filters, names)).toEqual([])
  })

  it('has the values of its columns', () => {
    // @ts-expect-error -- no size
    const input: Input = { size: ['tiny'] }
    expect(inputConditionsOf(filters, input)).toHaveLength(1)
    // @ts-expect-error -- no filter
    const other: Input = { colour: 'red' }
    expect(inputConditionsOf(filters, other)).toHaveLength(0)
  })
})

it('a filter says itself which value is no condition: the empty text is one for another than a prefix', () => {
  const conditions = inputConditionsOf(filters, { labelPrefix: '', note: '' })
  expect(conditions.map(({ name }) => name)).toEqual(['note'])
})

it('a condition means the same in a count and for an event', () => {
  const conditions = crateConditions({ size: ['small', 'large'] })
  const counted = fixedStatement('count', sql.join(whereAll(conditions)))
  expect(counted).toMatchObject({
    text: '"crates"."size" = any($1::crate_size[])',
    parameters: ['{"small","large"}'],
  })
  const matched = ['small', 'medium', null].map((size) => matchesAll({ size }, conditions))
  expect(matched).toEqual([true, false, false])
})

it('a statement with all filters is sent null for those that are no condition', () => {
  const { valuesOf } = optionalConditions(filters)
  const none = { size: null, ownerId: null, labelPrefix: null, note: null }
  expect(valuesOf([])).toEqual(none)
  expect(valuesOf(crateConditions({ labelPrefix: 'bo' }))).toEqual({ ...none, labelPrefix: 'bo%' })
})

it('a condition by a filter of another list fails, since without it all items would match', () => {
  const { valuesOf } = optionalConditions({ size: filters.size, note: { ...filters.note } })
  expect(() => valuesOf(crateConditions({ labelPrefix: 'bo' }))).toThrow(
    'labelPrefix is no filter of the list',
  )
  expect(() => valuesOf(crateConditions({ note: 'a' }))).toThrow('note is no filter of the list')
})
