import { expect, it } from 'vitest'
import { type CratePage, firstPage, loadCrates } from '../../../support/crates.ts'
import { recordStatements } from '../../support/database.ts'

const byLabel = { field: 'LABEL', direction: 'ASC' } as const
const size = { size: ['small'] } as const
const [first, ninth] = ['1', '9'].map((id) => ({ id, sortKey: null }))

it.each<[string, Partial<CratePage>, 'prepared' | 'planned']>([
  ['all items by id', {}, 'prepared'],
  ['all items by label', { order: byLabel }, 'prepared'],
  ['after a cursor', { after: first }, 'prepared'],
  ['a size by id', { filter: size }, 'prepared'],
  ['sizes by id', { filter: { size: ['small', 'large'] } }, 'prepared'],
  ['several filters', { filter: { ...size, ownerId: ['7'] } }, 'planned'],
  ['a prefix by id', { filter: { labelPrefix: 'bo' } }, 'planned'],
  ['a prefix by label', { filter: { labelPrefix: 'bo' }, order: byLabel }, 'planned'],
  ['a size by label', { filter: size, order: byLabel }, 'planned'],
  ['between two cursors', { after: first, before: ninth }, 'planned'],
])('a page has a prepared statement if ranges of an index have its items: %s', async (_, page, expected) => {
  // Pages of a prepared statement are joined.
  const statements = await recordStatements((requestData) =>
    Promise.all([page, page].map((one) => loadCrates(requestData, { ...firstPage, ...one }))),
  )
  expect(statements.map(({ prepare }) => prepare)).toEqual(expected === 'prepared' ? [true] : [false, false])
})

it('pages in different directions are not joined', async () => {
  const statements = await recordStatements((requestData) =>
    Promise.all(
      (['ASC', 'DESC'] as const).map((direction) =>
        loadCrates(requestData, { ...firstPage, order: { field: 'ID', direction } }),
      ),
    ),
  )
  expect(statements).toHaveLength(2)
})
