import { describe, expect, it } from 'vitest'
import {
  readRowState,
  rowStateColumnsOf,
  toItem,
  toRowState,
} from '../../../../src/resource/fields/row-state.ts'
import { crate, crateResource, emptyCrate, toRow } from '../../../support/crates.ts'

it.each([crate, emptyCrate])(
  'a row that a statement returns is an event, and the same item again: $id',
  (item) => {
    const row = [...toRow(item), 'key']
    const state = toRowState(crateResource, [...row, 'what follows'])
    expect(Object.keys(state)).toEqual(rowStateColumnsOf(crateResource).map(({ name }) => name))
    expect(state).toMatchObject({ owner_id: item.ownerId, label_key: 'key' })
    expect(readRowState(crateResource, state)).toEqual(state)
    expect(toItem(crateResource, state)).toEqual(item)
  },
)

describe('the row of an event', () => {
  const read = (row: Record<string, unknown>) => readRowState(crateResource, row)
  /** As it comes from exact JSON, with a column that this version does not know. */
  const written = {
    ...{ id: '9007199254740993', owner_id: -7n, label: 'books', size: 'small' },
    ...{ note: 'a, "b"\n', unit: 'box', label_key: 'books', colour: 'red' },
  }

  it.each<[string, object, object]>([
    ['as it is, without columns that this version does not know', {}, {}],
    ['with null where the column may be', { note: null, size: null }, { note: null, size: null }],
    ['with an int64 as digits, too, as on Citus', { owner_id: '-7' }, {}],
    ['with a value of an enumeration that only a later version knows', { size: 'huge' }, { size: 'huge' }],
    [
      'with the defaults of columns that the server which announced it does not know',
      { size: undefined, note: undefined, unit: undefined },
      { size: null, note: null, unit: 'piece' },
    ],
  ])('is read %s, and is an item again', (_, changes, expected) => {
    const row = read({ ...written, ...changes })
    expect(row && toItem(crateResource, row)).toEqual({ ...crate, ...expected })
  })

  it('has the sort key', () => {
    expect(read(written)).toMatchObject({ label_key: 'books' })
    expect(read({ ...written, label_key: null })).toMatchObject({ label_key: null })
  })

  it.each([
    ...['id', 'owner_id', 'label'].flatMap((name) => [{ [name]: undefined }, { [name]: {} }]),
    ...[{ owner_id: 'x' }, { unit: {} }, { unit: null }, { size: 7n }],
    // Without the key, nothing tells whether a filter by prefix matches.
    ...[{ label_key: undefined }, { label_key: {} }],
  ])('is not valid with %o', (changes) => expect(read({ ...written, ...changes })).toBeNull())
})
