import { expect, it } from 'vitest'
import type { RowEvent } from '../../../src/db/events/row-event.ts'
import { petList } from '../../../src/pets/pets.ts'
import { matchesEvent } from '../../../src/resource/events.ts'
import type { PetFilter } from '../../support/pet-range.ts'

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
