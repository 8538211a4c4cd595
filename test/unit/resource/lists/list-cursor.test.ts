import { expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../../../src/resource/lists/list-cursor.ts'

it.each(['ID', 'NAME_KEY', 'PRICE2', 'Größe'])('a cursor of the order %s is read', (order) => {
  for (const sortKey of [null, '', 'a:b']) {
    const position = { id: '-5', sortKey }
    expect(decodeCursor(encodeCursor(position, order), order, sortKey !== null)).toEqual(position)
  }
})

it('a cursor of another order is not', () => {
  const cursor = encodeCursor({ id: '1', sortKey: null }, 'ID')
  expect(decodeCursor(cursor, 'PRICE', false)).toBeUndefined()
  expect(decodeCursor(cursor, 'ID', true)).toBeUndefined()
})
