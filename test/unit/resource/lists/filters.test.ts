import { sql } from 'drizzle-orm'
import { pgTable, varchar } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { fixedStatement, statementTemplate } from '../../../../src/db/postgres/statement.ts'
import {
  type FilterInput,
  matchesFilters,
  optionalFilters,
  readFilter,
  sentConditionsOf,
  whereFilters,
} from '../../../../src/resource/lists/filter-values.ts'
import { anyOf, prefixOf } from '../../../../src/resource/lists/filters.ts'
import { type CrateFilter, crateList, crates } from '../../../support/crates.ts'
import { createFakeDatabase, createRequestData } from '../../support/database.ts'

const { filters } = crateList.description
type Input = FilterInput<typeof filters> | null | undefined

const read = (input: Input, database = createFakeDatabase(() => [['bo']])) =>
  readFilter(filters, input, createRequestData(database))
const noConditions = { size: null, ownerId: null, labelPrefix: null }
/** Different owners. */
const owners = (count: number) => Array.from({ length: count }, (_, index) => String(index))

const shelves = pgTable('shelves', { code: varchar({ length: 4 }) })

describe('a filter', () => {
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

  it('says what is wrong with each value', async () => {
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
      readFilter(own, { code: ['a', text], note: text, labelPrefix: text }, requestData),
    ).rejects.toMatchObject({
      problems: [
        { argument: 'filter.code', message: `code must each ${expected}` },
        { argument: 'filter.note', message: `note must ${expected}` },
        { argument: 'filter.labelPrefix', message: `labelPrefix must ${expected}` },
      ],
    })
  })

  it('is converted: its prefix is folded by the database, and it has each value once', async () => {
    const input: Input = { size: ['small', 'small'], ownerId: null, labelPrefix: 'BO' }
    expect(await read(input)).toEqual({ size: ['small'], labelPrefix: 'bo' })
  })

  it.each<Input>([null, {}, noConditions, { labelPrefix: '' }])(
    'without a condition does not query the database: %j',
    async (filter) => {
      const database = createFakeDatabase()
      expect(await read(filter, database)).toEqual({})
      expect(database.statements).toEqual([])
    },
  )
})

it('the values of a filter are sent without the length of its column: a cast to it would cut them, and find other items', () => {
  const { conditions } = optionalFilters({ code: anyOf(shelves.code, 'codes', 9) })
  expect(statementTemplate('test', sql.join(conditions)).text).toContain('= any($1::varchar[])')
})

it('a filter says itself which value is no condition: the empty text is one for another than a prefix', () => {
  const conditions = sentConditionsOf(filters, { labelPrefix: '', note: '' })
  expect(conditions.map(({ name }) => name)).toEqual(['note'])
})

it('the values of a filter are those of its column', () => {
  // @ts-expect-error -- no size
  const input: Input = { size: ['tiny'] }
  expect(sentConditionsOf(filters, input)).toHaveLength(1)
  // @ts-expect-error -- it has no sort keys
  prefixOf(crates.note)
})

it('a filter by values means the same in a count and for an event', () => {
  const values: CrateFilter = { size: ['small', 'large'] }
  const counted = fixedStatement('count', sql.join(whereFilters(filters, values)))
  expect(counted).toMatchObject({
    text: '"crates"."size" = any($1::crate_size[])',
    parameters: ['{"small","large"}'],
  })
  const matched = ['small', 'medium', null].map((size) => matchesFilters(filters, { size }, values))
  expect(matched).toEqual([true, false, false])
})
