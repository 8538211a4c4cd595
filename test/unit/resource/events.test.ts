import { describe, expect, it } from 'vitest'
import type { RowEvent } from '../../../src/db/events/event-notifications.ts'
import { petList, petResource } from '../../../src/pets/pet-resource.ts'
import { eventSourceOf, matchesEvent, toItem } from '../../../src/resource/events.ts'
import type { PetFilter } from '../../support/pet-range.ts'
import { crate, crateResource } from '../../support/crates.ts'

const petEvents = eventSourceOf(petResource)

/** A pet that was renamed from Max to Rex, moved from category 7 to 8, and sold. */
const updated: RowEvent = {
  table: 'pets',
  kind: 'updated',
  row: { id: '1', name: 'Rex', category_id: '8', status: 'sold', name_key: 'rex' },
  before: { id: '1', name: 'Max', category_id: '7', status: null, name_key: 'max' },
}

it.each<[string, PetFilter, boolean]>([
  ['no filter', {}, true],
  ['its current status', { status: ['pending', 'sold'] }, true],
  ['another status', { status: ['available'] }, false],
  ['an empty list of statuses', { status: [] }, false],
  ['its old category', { categoryId: ['7', '9'] }, true],
  ['another category', { categoryId: ['9'] }, false],
  ['an empty list of categories', { categoryId: [] }, false],
  ['the beginning of its new name', { namePrefix: 're' }, true],
  ['the beginning of its old name', { namePrefix: 'max' }, true],
  ['a later part of its name', { namePrefix: 'ex' }, false],
  ['its current status and category', { status: ['sold'], categoryId: ['8'] }, true],
  ['its new status and its old category', { status: ['sold'], categoryId: ['7'] }, false],
  ['its new name and its old category', { namePrefix: 'rex', categoryId: ['7'] }, false],
])('an event matches a filter by the state before or after it: %s', (_, filter, matches) => {
  expect(matchesEvent(petList, updated, filter)).toBe(matches)
  expect(matchesEvent(petList, { ...updated, table: 'crates' }, filter)).toBe(false)
})

describe('the row of an event of any resource', () => {
  const { table, readRow } = eventSourceOf(crateResource)
  /** As it comes from exact JSON, with a column that this version does not know. */
  const written = {
    ...{ id: '9007199254740993', owner_id: -7n, label: 'books', size: 'small' },
    ...{ note: 'a, "b"\n', unit: 'box', colour: 'red' },
  }

  it.each<[string, object, object]>([
    ['as it is, without columns that this version does not know', {}, {}],
    ['with null where the column may be', { note: null, size: null }, { note: null, size: null }],
    ['with a value of an enumeration that only a later version knows', { size: 'huge' }, { size: 'huge' }],
    [
      'with the defaults of columns that the server which announced it does not know',
      { size: undefined, note: undefined, unit: undefined },
      { size: null, note: null, unit: 'piece' },
    ],
  ])('is read %s, and is an item again', (_, sent, expected) => {
    const row = readRow({ ...written, ...sent })
    expect(row && toItem(crateResource, row)).toEqual({ ...crate, ...expected })
    expect(table).toBe('crates')
  })

  it.each([
    ...['id', 'owner_id', 'label'].flatMap((name) => [{ [name]: undefined }, { [name]: {} }]),
    ...[{ unit: {} }, { unit: null }, { size: 7n }],
  ])('is none with %o', (sent) => expect(readRow({ ...written, ...sent })).toBeNull())

  it('of pets has the sort key, and takes integers as digits', () => {
    const pet = { id: '1', name: 'Rex', category_id: '7', status: null, name_key: 'rex' }
    expect(petEvents.readRow(pet)).toEqual(pet)
    expect(petEvents.readRow({ ...pet, category_id: 7n })).toEqual(pet)
    expect(petEvents.readRow({ ...pet, name_key: undefined })).toEqual({ ...pet, name_key: null })
    expect(petEvents.readRow({ ...pet, category_id: 'x' })).toBeNull()
  })
})
