import { expect, it } from 'vitest'
import { findIndexUse } from '../../../../src/resource/lists/index-use.ts'
import type { OrderedList } from '../../../../src/resource/lists/orders.ts'
import type { PageQuery } from '../../../../src/resource/lists/page-query.ts'
import { createPlannedReader } from '../../../../src/resource/lists/planned-pages.ts'
import {
  crateConditions,
  type CrateFilter,
  crateList,
  crateResource,
  crates,
} from '../../../support/crates.ts'
import { recordStatements } from '../../support/database.ts'

const { filters } = crateList.description
const byId = { resource: crateResource, filters, sortKey: null, direction: 'ASC' } as const
const byLabel = { ...byId, sortKey: crates.labelKey }

interface Options {
  list?: OrderedList
  hasConstantLimit?: boolean
}

async function recordPage(
  filter: CrateFilter,
  page: Partial<PageQuery> = {},
  { list = byId, hasConstantLimit = true }: Options = {},
) {
  const conditions = crateConditions(filter)
  const indexUse = findIndexUse(list.sortKey, conditions)
  const read = createPlannedReader(list, { hasConstantLimit })
  const [statement] = await recordStatements((requestData) =>
    read(requestData, { conditions, limit: 21, ...page, indexUse }),
  )
  return statement
}

it('a page is sent its conditions, its cursors and its limit; null stands for what it has not', async () => {
  expect(await recordPage({})).toMatchObject({
    prepare: false,
    parameters: [null, null, null, null, null, null, '21'],
  })
  const [after, before] = ['1', '9'].map((id) => ({ id, sortKey: null }))
  expect(await recordPage({ size: ['small'], labelPrefix: 'bo' }, { after, before })).toMatchObject({
    parameters: ['{"small"}', null, 'bo%', null, '1', '9', '21'],
  })
})

it('a page of one value is ordered by its column first, so that Postgres does not search the primary key', async () => {
  const ordersOf = async (filter: CrateFilter) =>
    /order by (.*?) limit/s.exec((await recordPage(filter))?.text ?? '')?.[1]
  expect(await ordersOf({ size: ['small'] })).toBe('"crates"."size" asc, "crates"."id" asc')
  for (const filter of [{}, { size: ['small', 'large'] }, { size: ['small'], note: '' }] as const)
    expect(await ordersOf(filter)).toBe('"crates"."id" asc')
})

const size: CrateFilter = { size: ['small'] }
const sizes: CrateFilter = { size: ['small', 'large'] }
const prefix: CrateFilter = { labelPrefix: 'bo' }
it.each<[string, CrateFilter, OrderedList, boolean]>([
  ['all items by id', {}, byId, false],
  ['all items by label', {}, byLabel, false],
  ['one value', size, byId, false],
  ['one value by label', size, byLabel, true],
  ['several values', sizes, byId, true],
  ['no value', { size: [] }, byId, true],
  ['a prefix', prefix, byLabel, false],
  ['a prefix by id', prefix, byId, true],
  ['a prefix and a value', { ...prefix, ...size }, byLabel, true],
  ['a value and another filter', { ...size, note: '' }, byId, true],
])(
  'a page has a constant limit, which is optional, if no index has its order: %s',
  async (_, filter, list, has) => {
    const isLimited = async (hasConstantLimit: boolean) =>
      (await recordPage(filter, {}, { list, hasConstantLimit }))?.text.includes('limit 10000')
    expect([await isLimited(true), await isLimited(false)]).toEqual([has, false])
  },
)
