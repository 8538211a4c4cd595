import { describe, expect, it } from 'vitest'
import type { ListOrder, ListCursor } from '../../../../src/resource/pages.ts'
import { ServiceError } from '../../../../src/base/errors.ts'
import { petList } from '../../../../src/pets/pets.ts'
import {
  type ConnectionArguments,
  encodeCursor,
  readPageRequest,
} from '../../../../src/graphql/schema/pagination.ts'

const byId: ListOrder = { field: 'ID', direction: 'ASC' }
const byName: ListOrder = { field: 'NAME', direction: 'DESC' }
const { list } = petList
const read = (args: ConnectionArguments, order = byId) => readPageRequest(args, order, list, [])
const base64url = (text: string) => Buffer.from(text).toString('base64url')

/** The arguments that are invalid. */
function findInvalid(...args: Parameters<typeof readPageRequest>): string[] {
  try {
    readPageRequest(...args)
    return []
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INVALID_VALUE') throw error
    return error.problems.map(({ argument }) => argument)
  }
}

describe('the size of a page', () => {
  it.each<[ConnectionArguments, number, string]>([
    [{}, 20, 'start'],
    [{ first: null, last: null }, 20, 'start'],
    [{ first: 1 }, 1, 'start'],
    [{ first: 100 }, 100, 'start'],
    [{ last: 1 }, 1, 'end'],
    [{ last: 100 }, 100, 'end'],
    [{ first: null, last: 7 }, 7, 'end'],
    [{ first: 7, last: null }, 7, 'start'],
  ])('of %j is %d, from the %s', (args, limit, from) => {
    expect(read(args)).toMatchObject({ limit, from })
  })

  it.each<[ConnectionArguments, string[]]>([
    [{ first: 0 }, ['first']],
    [{ first: 101 }, ['first']],
    [{ first: -1 }, ['first']],
    [{ last: 0 }, ['last']],
    [{ last: 101 }, ['last']],
    [{ first: 1, last: 1 }, ['last']],
    [{ first: 0, last: 101 }, ['first', 'last', 'last']],
  ])('is invalid: %j', (args, invalid) => expect(findInvalid(args, byId, list, [])).toEqual(invalid))
})

it('all invalid arguments are reported together, with those that were found before', () => {
  const other = { argument: 'filter.categoryId', message: 'too many' }
  const args = { first: 0, after: 'x', before: 'y' }
  expect(findInvalid(args, byId, list, [null, other])).toEqual([
    'first',
    'after',
    'before',
    'filter.categoryId',
  ])
})

describe('a cursor', () => {
  const positions: [ListOrder, ListCursor][] = [
    ...['1', '0', '-1', '9223372036854775807', '-9223372036854775808'].map((id): [ListOrder, ListCursor] => [
      byId,
      { id, sortKey: null },
    ]),
    ...['', 'rex', 'a:b', ':', 'name:1:x', 'line\nbreak', 'é🐕\u{10ffff}', 'x'.repeat(500)].map(
      (sortKey): [ListOrder, ListCursor] => [byName, { id: '-42', sortKey }],
    ),
  ]

  it.each(positions)('is read as it was written: %j %j', (order, position) => {
    const cursor = encodeCursor(position, order.field)
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(read({ after: cursor, before: cursor }, order)).toMatchObject({
      after: position,
      before: position,
    })
  })

  it('may be null or left out', () => {
    expect(read({ after: null })).toMatchObject({ after: undefined, before: undefined })
  })

  it.each([
    ['an empty text', ''],
    ['other text', 'hello'],
    ['one of a list by name', encodeCursor({ id: '1', sortKey: 'rex' }, 'NAME')],
    ['padded', 'aWQ6MTI='],
    ['with a line break', 'aWQ6MTI\n'],
    ['with spare bits', 'aWQ6MTJ'],
    ['of the wrong alphabet', `${base64url('id:1')}+`],
    ['without an id', base64url('id:')],
    ['with a name key', base64url('id:1:rex')],
    ['with an empty name key', base64url('id:1:')],
    ['with more after it', base64url('id:12 ')],
    ['with more before it', base64url(' id:12')],
    ['with a plus sign', base64url('id:+1')],
    ['with a leading zero', base64url('id:01')],
    ['with letters', base64url('id:1x')],
    ['beyond 64 bits', base64url('id:9223372036854775808')],
    ['below 64 bits', base64url('id:-9223372036854775809')],
    ['in plain text', 'id:12'],
  ])('of a list by id is rejected: %s', (_, cursor) => {
    expect(findInvalid({ after: cursor, before: cursor }, byId, list, [])).toEqual(['after', 'before'])
  })

  it.each([
    ['one of a list by id', encodeCursor({ id: '1', sortKey: null }, 'ID')],
    ['without a name key', base64url('name:1')],
    ['with U+0000', base64url('name:1:a\0b')],
    ['without an id', base64url('name::rex')],
    ['beyond 64 bits', base64url('name:9223372036854775808:rex')],
    ['that is not UTF-8', Buffer.from('name:1:\xff', 'latin1').toString('base64url')],
  ])('of a list by name is rejected: %s', (_, cursor) => {
    expect(findInvalid({ after: cursor }, byName, list, [])).toEqual(['after'])
  })
})
