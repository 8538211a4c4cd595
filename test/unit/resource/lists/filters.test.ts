import { pgTable, varchar } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import {
  anyOf,
  type FilterInput,
  listConditions,
  readFilter,
} from '../../../../src/resource/lists/filters.ts'
import { crateList } from '../../../support/crates.ts'
import { createFakeDatabase, createRequestData } from '../../support/database.ts'

const { filters } = crateList.description
type Input = FilterInput<typeof filters> | null | undefined

const read = (input: Input, database = createFakeDatabase(() => [['bo']])) =>
  readFilter(filters, input, createRequestData(database))
const noConditions = { size: null, ownerId: null, labelPrefix: null }
/** Different owners. */
const owners = (count: number) => Array.from({ length: count }, (_, index) => String(index))

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

  it('says what is wrong with each value, and with other arguments', async () => {
    const filter = { ownerId: owners(51), labelPrefix: 'x'.repeat(501) }
    const other = { argument: 'first', message: 'first must be smaller.' }
    const requestData = createRequestData(createFakeDatabase())
    await expect(readFilter(filters, filter, requestData, [null, other])).rejects.toMatchObject({
      problems: [
        other,
        { argument: 'filter.ownerId', message: 'ownerId must have at most 50 different owners.' },
        { argument: 'filter.labelPrefix', message: 'labelPrefix must have at most 500 characters.' },
      ],
    })
    for (const labelPrefix of ['a\0', '\ud800'])
      await expect(read({ labelPrefix })).rejects.toMatchObject({
        problems: [{ argument: 'filter.labelPrefix' }],
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

const shelves = pgTable('shelves', { code: varchar({ length: 4 }) })

it('the values of a filter are sent without the length of its column: a cast to it would cut them, and find other items', () => {
  expect(anyOf(shelves.code, 'codes', 9).type).toBe('varchar[]')
})

it('a filter says itself which value is no condition: the empty text is one for another than a prefix', () => {
  const conditions = listConditions(filters, { labelPrefix: '', note: '' })
  expect(conditions.map(({ name }) => name)).toEqual(['note'])
})
