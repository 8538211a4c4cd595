import { describe, expect, it } from 'vitest'
import { createIndexRangeReader } from '../../../../src/resource/lists/index-range-pages.ts'
import { findIndexUse } from '../../../../src/resource/lists/index-use.ts'
import { crateConditions, type CrateFilter, crateList, crateResource } from '../../../support/crates.ts'
import { createFakeDatabase, createRequestData, type FakeDatabase } from '../../support/database.ts'

const { filters } = crateList.description
const list = { resource: crateResource, filters, sortKey: null, direction: 'ASC' } as const
const readById = createIndexRangeReader(list)

/** A page by id. */
interface Page {
  filter?: CrateFilter
  after?: string
  limit?: number
}

/** Reads pages that are asked for in one iteration of the event loop. */
const readPages = (database: FakeDatabase, pages: Page[]) =>
  Promise.all(
    pages.map(({ filter = {}, after, limit = 21 }) => {
      const ranges = findIndexUse(null, crateConditions(filter))
      if (ranges.kind !== 'all' && ranges.kind !== 'byValue') throw new Error('No ranges have the items')
      const cursor = after === undefined ? undefined : { id: after, sortKey: null }
      return readById(createRequestData(database), { ranges, after: cursor, limit })
    }),
  )
const recordPages = async (pages: Page[]) => {
  const database = createFakeDatabase()
  await readPages(database, pages)
  return database.statements
}

describe('pages that are requested in one iteration of the event loop', () => {
  it('are one statement, and each gets its own rows', async () => {
    const database = createFakeDatabase(() => [
      ['{12}', '2'],
      ['{11}', '1'],
    ])
    const pages = await readPages(database, [{ limit: 1 }, { limit: 2 }])
    expect(pages).toEqual([[['11']], [['12']]])
    expect(database.callers).toEqual([2])
  })

  it('are joined even if some have several values of the column, or none', async () => {
    const pages: Page[] = [
      { filter: { size: ['small'] } },
      { filter: { size: ['small', 'large'] } },
      { filter: { size: [] } },
    ]
    const one = await recordPages(pages.slice(0, 1))
    const several = await recordPages(pages)
    expect([one, several].map((statements) => statements.map(({ prepare }) => prepare))).toEqual([
      [true],
      [true],
    ])
    // Pages of one value have a simpler text.
    expect(one[0]?.text).not.toBe(several[0]?.text)
  })

  it('are joined with those that read the same index from the start, or from a cursor', async () => {
    const statements = await recordPages([
      {},
      { after: '1' },
      { after: '2' },
      { filter: { size: ['small'] } },
      { filter: { ownerId: ['7'] } },
      { filter: { ownerId: ['8', '9'] } },
    ])
    expect(statements.map(({ parameters }) => parameters[0]?.split(',').length)).toEqual([1, 2, 1, 2])
  })

  it('are joined up to 16', async () => {
    expect(await recordPages(Array.from({ length: 17 }, () => ({})))).toHaveLength(2)
  })

  it('are prepared, but not joined, if they may read many rows', async () => {
    const long = { filter: { ownerId: ['1', '2', '3', '4', '5'] }, limit: 101 }
    const statements = await recordPages([long, long])
    expect(statements).toMatchObject([
      {
        prepare: true,
        parameters: ['{"101"}', '{"{\\"1\\",\\"2\\",\\"3\\",\\"4\\",\\"5\\"}"}', '{null}', '{null}'],
      },
      { prepare: true },
    ])
  })
})
