import { describe, expect, it } from 'vitest'
import type { RowEvent } from '../../../src/db/events/change-feed.ts'
import { petEvents, petList } from '../../../src/pets/pets.ts'
import { describeEvents, matchesEvent, toItem } from '../../../src/resource/events.ts'
import { atLeast } from '../../../src/resource/list.ts'
import type { PetFilter } from '../../support/pet-range.ts'
import { crate, crateResource, crates } from '../support/crates.ts'

/** A pet that was renamed from Max to Rex, moved from category 7 to 8, and sold. */
const updated: RowEvent = {
  kind: 'updated',
  row: { id: '1', name: 'Rex', category_id: '8', status: 'sold', nameKey: 'rex' },
  before: { id: '1', name: 'Max', category_id: '7', status: null, nameKey: 'max' },
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
  expect(matchesEvent(petList.list, updated, filter)).toBe(matches)
})

describe('the row of an event of any resource', () => {
  const byColumn = { namedBy: 'column', isNew: false } as const
  const byField = { namedBy: 'field', isNew: false } as const
  const list = { id: crates.id, filters: { countAtLeast: atLeast(crates.count) }, orders: { ID: null } }
  const { readRow } = describeEvents(
    crateResource,
    { channel: 'crate_changes', writeFunction: 'crate_event' },
    list,
  )
  /** As it comes from exact JSON, with a column that this version does not know. */
  const written = {
    ...{ id: '9007199254740993', owner_id: -7n, count: 3n, is_open: true, size: 'small' },
    ...{ note: 'a, "b"\n', weight: 2n, colour: 'red' },
  }

  it('is read, and is an item again', () => {
    const row = readRow(written, {}, byColumn)
    expect(row && toItem(crateResource, row)).toEqual(crate)
  })

  it('is read by the names of its fields, too', () => {
    const { owner_id: ownerId, is_open: isOpen, ...others } = written
    expect(readRow({ ...others, ownerId, isOpen }, {}, byField)).toEqual(readRow(written, {}, byColumn))
    expect(readRow(written, {}, byField)).toBeNull()
  })

  it.each(['id', 'owner_id', 'count', 'is_open', 'size', 'note', 'weight'])(
    'is none without the column %s',
    (column) => {
      expect(readRow({ ...written, [column]: undefined }, {}, byColumn)).toBeNull()
      expect(readRow({ ...written, [column]: {} }, {}, byColumn)).toBeNull()
    },
  )

  it('has the defaults of later columns if an older server has created it, and is none if one has changed it', () => {
    const older = { ...written, note: undefined, weight: undefined }
    expect(readRow(older, {}, { ...byColumn, isNew: true })).toMatchObject({ note: null, weight: 1 })
    expect(readRow(older, {}, byColumn)).toBeNull()
  })

  it('may have null where the column may', () => {
    expect(readRow({ ...written, note: null, size: null }, {}, byColumn)).toMatchObject({
      note: null,
      size: null,
    })
    expect(readRow({ ...written, is_open: null }, {}, byColumn)).toBeNull()
  })

  it('matches a filter that no index serves, now or before', () => {
    const row = { count: 3 }
    const event = { kind: 'updated', row, before: { count: 5 } } as const
    expect([3, 5, 6].map((countAtLeast) => matchesEvent(list, event, { countAtLeast }))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('of pets needs the sort key, and takes integers as digits', () => {
    const pet = { id: '1', name: 'Rex', category_id: '7', status: null }
    const keys = { nameKey: 'rex' }
    expect(petEvents.readRow(pet, keys, byColumn)).toEqual({ ...pet, ...keys })
    expect(petEvents.readRow({ ...pet, category_id: 7n }, keys, byColumn)).toEqual({ ...pet, ...keys })
    expect(petEvents.readRow(pet, {}, byColumn)).toBeNull()
    expect(petEvents.readRow({ ...pet, category_id: 'x' }, keys, byColumn)).toBeNull()
  })
})
