import { expect, it } from 'vitest'
import { matchesFilter, type PetEvent } from '../../../src/pets/pet-event.ts'
import type { PetFilter } from '../../../src/pets/pet-range.ts'

/** A pet that was renamed from Max to Rex, moved from category 7 to 8, and sold. */
const updated: PetEvent = {
  kind: 'updated',
  pet: { id: '1', name: 'Rex', categoryId: '8', status: 'sold' },
  states: [
    { categoryId: '8', status: 'sold', nameKey: 'rex' },
    { categoryId: '7', status: null, nameKey: 'max' },
  ],
}

it.each<[string, PetFilter, boolean]>([
  ['no filter', {}, true],
  ['its current status', { status: ['pending', 'sold'] }, true],
  ['another status', { status: ['available'] }, false],
  ['an empty list of statuses', { status: [] }, false],
  ['its old category', { categoryId: ['7', '9'] }, true],
  ['another category', { categoryId: ['9'] }, false],
  ['an empty list of categories', { categoryId: [] }, false],
  ['the beginning of its new name', { keyPrefix: 're' }, true],
  ['the beginning of its old name', { keyPrefix: 'max' }, true],
  ['a later part of its name', { keyPrefix: 'ex' }, false],
  ['its current status and category', { status: ['sold'], categoryId: ['8'] }, true],
  ['its new status and its old category', { status: ['sold'], categoryId: ['7'] }, false],
  ['its new name and its old category', { keyPrefix: 'rex', categoryId: ['7'] }, false],
])('an event matches a filter by the state before or after it: %s', (_, filter, matches) => {
  expect(matchesFilter(updated, filter)).toBe(matches)
})
