import { describe, expect, it } from 'vitest'
import type { RowEvent } from '../../../src/db/events/event-notifications.ts'
import { eventSourceOf, matchesEvent, toItem } from '../../../src/resource/events.ts'
import { crate, type CrateFilter, crateList, crateResource, createCrateEvent } from '../../support/crates.ts'

/** A crate that was relabelled from Maps to Books, became large, and went from owner 7 to owner 8. */
const { row } = createCrateEvent(1)
const updated: RowEvent = {
  table: 'crates',
  kind: 'updated',
  row: { ...row, owner_id: '8', label: 'Books', size: 'large', label_key: 'books' },
  before: { ...row, owner_id: '7', label: 'Maps', size: null, label_key: 'maps' },
}

it.each<[string, CrateFilter, boolean]>([
  ['no filter', {}, true],
  ['its current size', { size: ['small', 'large'] }, true],
  ['another size', { size: ['medium'] }, false],
  ['an empty list of sizes', { size: [] }, false],
  ['its old owner', { ownerId: ['7', '9'] }, true],
  ['another owner', { ownerId: ['9'] }, false],
  ['an empty list of owners', { ownerId: [] }, false],
  ['the beginning of its new label', { labelPrefix: 'bo' }, true],
  ['the beginning of its old label', { labelPrefix: 'maps' }, true],
  ['a later part of its label', { labelPrefix: 'ooks' }, false],
  ['its note, which no index serves', { note: 'a' }, false],
  ['its current size and owner', { size: ['large'], ownerId: ['8'] }, true],
  ['its new size and its old owner', { size: ['large'], ownerId: ['7'] }, false],
  ['its new label and its old owner', { labelPrefix: 'books', ownerId: ['7'] }, false],
])('an event matches a filter by the state before or after it: %s', (_, filter, matches) => {
  expect(matchesEvent(crateList, updated, filter)).toBe(matches)
  expect(matchesEvent(crateList, { ...updated, table: 'toys' }, filter)).toBe(false)
})

describe('the row of an event', () => {
  const { table, readRow } = eventSourceOf(crateResource)
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
    const row = readRow({ ...written, ...changes })
    expect(row && toItem(crateResource, row)).toEqual({ ...crate, ...expected })
    expect(table).toBe('crates')
  })

  it('has the sort key', () => {
    expect(readRow(written)).toMatchObject({ label_key: 'books' })
    expect(readRow({ ...written, label_key: null })).toMatchObject({ label_key: null })
  })

  it.each([
    ...['id', 'owner_id', 'label'].flatMap((name) => [{ [name]: undefined }, { [name]: {} }]),
    ...[{ owner_id: 'x' }, { unit: {} }, { unit: null }, { size: 7n }],
    // Without the key, nothing tells whether a filter by prefix matches.
    ...[{ label_key: undefined }, { label_key: {} }],
  ])('is not valid with %o', (changes) => expect(readRow({ ...written, ...changes })).toBeNull())
})
