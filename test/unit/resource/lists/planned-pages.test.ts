import { expect, it } from 'vitest'
import type { PageQuery } from '../../../../src/resource/lists/page-query.ts'
import { createPlannedReader } from '../../../../src/resource/lists/planned-pages.ts'
import { crateConditions, type CrateFilter, crateList, crateResource } from '../../../support/crates.ts'
import { recordStatements } from '../../support/database.ts'

const { filters } = crateList.description
const list = { resource: crateResource, filters, sortKey: null, direction: 'ASC' } as const

/** The statement for a page by id. */
async function recordPage(filter: CrateFilter, page: Partial<PageQuery> = {}, hasConstantLimit = true) {
  const read = createPlannedReader(list, { hasConstantLimit })
  const [statement] = await recordStatements((requestData) =>
    read(requestData, { conditions: crateConditions(filter), limit: 21, ...page }),
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

it('only a page that is not in a single range has a constant limit, which is optional', async () => {
  const isLimited = async (filter: CrateFilter, hasConstantLimit: boolean) =>
    (await recordPage(filter, {}, hasConstantLimit))?.text.includes('limit 10000')
  const single: CrateFilter[] = [{}, { size: ['small'] }]
  const several: CrateFilter[] = [{ size: ['small', 'large'] }, { size: ['small'], note: '' }]
  for (const filter of single) expect(await isLimited(filter, true)).toBe(false)
  for (const filter of several)
    expect([await isLimited(filter, true), await isLimited(filter, false)]).toEqual([true, false])
})
