import { describe, expect, it } from 'vitest'
import {
  buildIndexRangeStatement,
  type IndexRangePage,
  type PageKind,
  splitPages,
} from '../../../../src/resource/lists/index-range-statement.ts'
import { PAGE_SIZE } from '../../../../src/resource/lists/page-arguments.ts'
import { crateList, crateResource, crates } from '../../../support/crates.ts'

const { filters } = crateList.description
const list = { resource: crateResource, filters, sortKey: null, direction: 'ASC' } as const
const column = crates.size
const pageOf = (values: string[], after?: string): IndexRangePage => ({
  ranges: { kind: 'byValue', condition: { name: 'size', filter: filters.size, value: values } },
  after: after === undefined ? undefined : { id: after, sortKey: null },
  limit: 21,
})

it('pages of one range send their value and where they start', () => {
  const toStatement = buildIndexRangeStatement({ list, column, isAfterCursor: true })
  expect(toStatement([pageOf(['small'], '1'), { ...pageOf(['large'], '3'), limit: 4 }])).toMatchObject({
    prepare: true,
    parameters: ['{"21","4"}', '{"small","large"}', '{null,null}', '{"1","3"}'],
  })
})

it('pages of all items send no value', () => {
  const toStatement = buildIndexRangeStatement({ list, column: null, isAfterCursor: false })
  const page: IndexRangePage = { ranges: { kind: 'all' }, after: undefined, limit: 2 }
  expect(toStatement([page])).toMatchObject({ parameters: ['{"2"}', '{null}', '{null}', '{null}'] })
})

it('pages of any ranges send their values as one text each', () => {
  const toStatement = buildIndexRangeStatement({ list, column, isAfterCursor: false })
  expect(toStatement([pageOf(['small']), pageOf(['small', 'large']), pageOf([])])).toMatchObject({
    prepare: true,
    parameters: [
      '{"21","21","21"}',
      '{"{\\"small\\"}","{\\"small\\",\\"large\\"}","{}"}',
      '{null,null,null}',
      '{null,null,null}',
    ],
  })
})

it('a page of another kind is not read: its cursor or its values would be ignored', () => {
  const all: IndexRangePage = { ranges: { kind: 'all' }, after: undefined, limit: 2 }
  const ofOwners: IndexRangePage = {
    ...all,
    ranges: { kind: 'byValue', condition: { name: 'ownerId', filter: filters.ownerId, value: ['7'] } },
  }
  const throws = (kind: Partial<PageKind>, page: IndexRangePage) =>
    expect(() =>
      buildIndexRangeStatement({ list, column: null, isAfterCursor: false, ...kind })([page]),
    ).toThrow('A page is not of the kind that its statement reads')
  throws({}, { ...all, after: { id: '1', sortKey: null } })
  throws({ isAfterCursor: true }, all)
  throws({ column }, all)
  throws({ column }, ofOwners)
  throws({}, pageOf(['small']))
  throws({}, pageOf(['small', 'large']))
})

it('the constant limit is one more than the largest page', () => {
  const { text } = buildIndexRangeStatement({ list, column: null, isAfterCursor: false })([])
  expect(text).toContain(`limit ${PAGE_SIZE.maximum + 1}`)
})

describe('the rows of a statement', () => {
  it('are those of each page by number, one for each item', () => {
    const rows = [
      [null, null, '3'],
      ['{12}', '{NULL}', '2'],
      ['{11,13}', '{a,"b, c"}', '1'],
    ]
    expect(splitPages(rows, 3)).toEqual([
      [
        ['11', 'a'],
        ['13', 'b, c'],
      ],
      [['12', null]],
      [],
    ])
  })

  it('fail without that of a page, instead of being empty', () => {
    expect(() => splitPages([[null, '1']], 2)).toThrow('The row of a page is missing')
  })
})
