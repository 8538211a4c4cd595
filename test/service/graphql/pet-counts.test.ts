/** Query.petCounts: the number of pets with each status, in one statement. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
const COUNTS = 'query ($filter: PetFilter) { petCounts(filter: $filter) { status count } }'
const count = async (filter?: object | null) =>
  (await service.client.graphql(COUNTS, { filter })).data?.petCounts
const counts = (available: number, pending: number, sold: number, unset: number) => [
  { status: 'available', count: available },
  { status: 'pending', count: pending },
  { status: 'sold', count: sold },
  { status: null, count: unset },
]

it('every status has a count, even if there are no pets', async () => {
  expect(await count()).toEqual(counts(0, 0, 0, 0))
})

describe('of some pets', () => {
  beforeAll(async () => {
    await service.sql`
      insert into pets (name, category_id, status)
      select case when i % 10 = 0 then 'Rex' else md5(i::text) end, i % 50,
        (array['available', 'pending', 'sold', null])[1 + i / 50 % 4]::pet_status
      from generate_series(1, 2000) i`
    await service.sql`analyze pets`
  })

  it.each([
    ['all', {}, counts(500, 500, 500, 500)],
    ['a filter of null', null, counts(500, 500, 500, 500)],
    ['a category', { categoryId: ['7'] }, counts(10, 10, 10, 10)],
    ['some categories, one of them twice', { categoryId: ['7', '8', '7'] }, counts(20, 20, 20, 20)],
    ['no category', { categoryId: [] }, counts(0, 0, 0, 0)],
    ['some statuses', { status: ['available', 'pending'] }, counts(500, 500, 0, 0)],
    ['a name', { namePrefix: 'rEX' }, counts(50, 50, 50, 50)],
    ['all of these', { namePrefix: 'r', categoryId: ['10'], status: ['sold'] }, counts(0, 0, 10, 0)],
  ])('the counts are those of the pets that match: %s', async (_, filter, expected) => {
    expect(await count(filter)).toEqual(expected)
  })

  it('they add up to totalCount', async () => {
    const filter = { categoryId: ['1', '2', '3'] }
    const query = 'query ($filter: PetFilter) { pets(filter: $filter, first: 1) { totalCount } }'
    const { data } = await service.client.graphql(query, { filter })
    const sum = ((await count(filter)) as { count: number }[]).reduce((sum, { count }) => sum + count, 0)
    expect(data?.pets).toEqual({ totalCount: sum })
  })

  it('a wrong filter is rejected', async () => {
    const { errors } = await service.client.graphql(COUNTS, { filter: { namePrefix: 'a\0' } })
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE', argument: 'filter.namePrefix' } }])
  })
})
