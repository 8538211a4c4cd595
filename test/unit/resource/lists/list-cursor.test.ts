import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor, type ListCursor } from '../../../../src/resource/lists/list-cursor.ts'

const base64url = (text: string) => Buffer.from(text).toString('base64url')

describe('a cursor is read as it was written', () => {
  const expectRead = (position: ListCursor, order: string) => {
    const cursor = encodeCursor(position, order)
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(decodeCursor(cursor, order, position.sortKey !== null)).toEqual(position)
  }

  it.each(['ID', 'NAME_KEY', 'PRICE2', 'Größe'])('of the order %s', (order) => {
    expectRead({ id: '-5', sortKey: null }, order)
    expectRead({ id: '-5', sortKey: 'rex' }, order)
  })

  it.each(['1', '0', '-1', '9223372036854775806', '-9223372036854775808'])('with the id %s', (id) => {
    expectRead({ id, sortKey: null }, 'ID')
    expectRead({ id, sortKey: 'rex' }, 'NAME')
  })

  it.each(['', 'rex', 'a:b', ':', 'name:1:x', 'line\nbreak', 'é🐕\u{10ffff}', 'x'.repeat(500)])(
    'with the sort key %j',
    (sortKey) => expectRead({ id: '-42', sortKey }, 'NAME'),
  )
})

describe('a cursor is not read', () => {
  it.each([
    ['an empty text', ''],
    ['other text', 'hello'],
    ['one of a list by name', encodeCursor({ id: '1', sortKey: 'rex' }, 'NAME')],
    ['one of another order by id', encodeCursor({ id: '1', sortKey: null }, 'PRICE')],
    ['padded', 'aWQ6MTI='],
    ['with a line break', 'aWQ6MTI\n'],
    ['with spare bits', 'aWQ6MTJ'],
    ['of the wrong alphabet', `${base64url('id:1')}+`],
    ['without an id', base64url('id:')],
    ['with a sort key', base64url('id:1:rex')],
    ['with an empty sort key', base64url('id:1:')],
    ['with more after it', base64url('id:12 ')],
    ['with more before it', base64url(' id:12')],
    ['with a leading zero', base64url('id:01')],
    ['beyond 64 bits', base64url('id:9223372036854775808')],
    ['in plain text', 'id:12'],
  ])('of a list by id: %s', (_, cursor) => expect(decodeCursor(cursor, 'ID', false)).toBeUndefined())

  it.each([
    ['one of a list by id', encodeCursor({ id: '1', sortKey: null }, 'ID')],
    ['one of another order by a sort key', encodeCursor({ id: '1', sortKey: 'rex' }, 'OWNER')],
    ['without a sort key', base64url('name:1')],
    ['with U+0000', base64url('name:1:a\0b')],
    ['without an id', base64url('name::rex')],
    ['beyond 64 bits', base64url('name:9223372036854775808:rex')],
    ['that is not UTF-8', Buffer.from('name:1:\xff', 'latin1').toString('base64url')],
  ])('of a list by a sort key: %s', (_, cursor) => expect(decodeCursor(cursor, 'NAME', true)).toBeUndefined())
})
