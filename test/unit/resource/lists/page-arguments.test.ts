import { describe, expect, it } from 'vitest'
import { encodeCursor } from '../../../../src/resource/lists/list-cursor.ts'
import {
  PAGE_SIZE,
  type PageArguments,
  readPageArguments,
} from '../../../../src/resource/lists/page-arguments.ts'
import { crateList } from '../../../support/crates.ts'

const { orders } = crateList.description
const read = (args: PageArguments, field = 'ID') =>
  readPageArguments(args, { field, direction: 'ASC' }, orders, [])

const position = { id: '7', sortKey: null }
const cursor = encodeCursor(position, 'ID')
const byLabel = { id: '7', sortKey: 'box' }

it.each<[string, PageArguments, object]>([
  ['the first ones', {}, { size: PAGE_SIZE.default, isFromEnd: false }],
  ['null stands for nothing', { first: null, after: null, last: null, before: null }, { size: 20 }],
  ['none', { first: 0 }, { size: 0, isFromEnd: false }],
  ['the most', { first: 100 }, { size: 100 }],
  ['the last ones', { last: 9 }, { size: 9, isFromEnd: true }],
  ['after a cursor', { after: cursor }, { after: position, before: undefined }],
  ['before a cursor', { last: 1, before: cursor }, { after: undefined, before: position }],
])('a page has %s', (_, args, bounds) => {
  expect(read(args)).toMatchObject(bounds)
})

it('a cursor belongs to an order', () => {
  const after = encodeCursor(byLabel, 'LABEL')
  expect(read({ after }, 'LABEL')).toMatchObject({ after: byLabel })
  expect(() => read({ after })).toThrow('after must be a cursor')
})

describe('arguments that are not valid', () => {
  it.each<[PageArguments, string[]]>([
    [{ first: -1 }, ['first']],
    [{ first: 101 }, ['first']],
    [{ last: 101 }, ['last']],
    [{ first: 1.5 }, ['first']],
    [{ first: 1, last: 1 }, ['last']],
    [{ after: '' }, ['after']],
    [{ before: 'a' }, ['before']],
    [{ first: 1, last: -1, after: 'a', before: 'b' }, ['last', 'last', 'after', 'before']],
  ])('%j are named, and no page is read', (args, named) => {
    expect(() => read(args)).toThrow(
      expect.objectContaining({
        code: 'INVALID_VALUE',
        problems: named.map((argument): unknown => expect.objectContaining({ argument })),
      }),
    )
  })

  it('are named before those of others', () => {
    const other = { argument: 'filter.size', message: 'size must be small.' }
    const readWith = (args: PageArguments) =>
      readPageArguments(args, { field: 'ID', direction: 'ASC' }, orders, [null, other])
    expect(() => readWith({})).toThrow('size must be small.')
    expect(() => readWith({ first: 101 })).toThrow(
      'first must be an integer from 0 to 100. size must be small.',
    )
  })
})
