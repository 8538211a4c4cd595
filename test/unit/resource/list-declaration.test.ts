import { describe, expect, it } from 'vitest'
import { petList } from '../../../src/pets/pet-resource.ts'
import {
  checkFilter,
  defaultOrderOf,
  type SentFilterOf,
  toFilter,
} from '../../../src/resource/list-declaration.ts'
import { createFakeDatabase, createRequestData } from '../support/database.ts'

const { description: list } = petList
type SentFilter = SentFilterOf<typeof list> | null | undefined

/** Different categories. */
const categories = (count: number) => Array.from({ length: count }, (_, index) => String(index))
describe('a filter', () => {
  it.each<[string, SentFilter]>([
    ['none', undefined],
    ['null', null],
    ['without conditions', {}],
    ['with conditions that are null', { status: null, categoryId: null, namePrefix: null }],
    ['of 50 categories', { categoryId: categories(50) }],
    ['of 50 categories, some of them repeated', { categoryId: [...categories(50), '1', '2'] }],
    ['of a prefix of 500 characters', { namePrefix: 'x'.repeat(500) }],
    ['of a prefix of 500 characters beyond 16 bits', { namePrefix: '🐕'.repeat(500) }],
  ])('is valid: %s', (_, filter) =>
    expect(checkFilter(list, filter).filter((problem) => problem !== null)).toEqual([]),
  )

  it('says what is wrong with each value', () => {
    const filter = { categoryId: categories(51), namePrefix: 'x'.repeat(501) }
    expect(checkFilter(list, filter)).toEqual([
      {
        argument: 'filter.categoryId',
        message: 'categoryId must have at most 50 different categories.',
      },
      { argument: 'filter.namePrefix', message: 'namePrefix must have at most 500 characters.' },
    ])
    const message = 'namePrefix must be a string without U+0000 and without lone surrogates.'
    for (const namePrefix of ['a\0', '\ud800'])
      expect(checkFilter(list, { namePrefix })).toEqual([{ argument: 'filter.namePrefix', message }])
  })

  it('has its prefix folded by the database', async () => {
    const session = createRequestData(createFakeDatabase(() => [['re']]))
    expect(await toFilter(list, { status: ['sold'], namePrefix: 'RE' }, session)).toEqual({
      status: ['sold'],
      categoryId: undefined,
      namePrefix: 're',
    })
  })

  it.each([null, {}, { status: null, categoryId: null, namePrefix: null }, { namePrefix: '' }])(
    'without a condition does not query the database: %j',
    async (filter) => {
      const database = createFakeDatabase()
      expect(await toFilter(list, filter, createRequestData(database))).toEqual({
        status: undefined,
        categoryId: undefined,
        namePrefix: undefined,
      })
      expect(database.statements).toEqual([])
    },
  )
})

it.each<[string, SentFilter, string]>([
  ['no filter', null, 'ID'],
  ['a status', { status: ['sold'] }, 'ID'],
  ['an empty prefix', { namePrefix: '' }, 'ID'],
  ['a prefix', { status: ['sold'], namePrefix: 're' }, 'NAME'],
])('the default order is by the key that the filter needs: %s', (_, filter, field) => {
  expect(defaultOrderOf(list)(filter)).toEqual({ field, direction: 'ASC' })
})
