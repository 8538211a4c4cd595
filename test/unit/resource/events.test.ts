import { expect, it } from 'vitest'
import type { RowEvent } from '../../../src/db/events/event-notifications.ts'
import { eventSourceOf, matchesEvent } from '../../../src/resource/events.ts'
import { crateConditions, type CrateFilter, crateResource, createCrateEvent } from '../../support/crates.ts'

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
  const conditions = crateConditions(filter)
  expect(matchesEvent(crateResource, updated, conditions)).toBe(matches)
  expect(matchesEvent(crateResource, { ...updated, table: 'toys' }, conditions)).toBe(false)
})

it('an event is read from the table of its resource', () => {
  const { table, readRow } = eventSourceOf(crateResource)
  expect(table).toBe('crates')
  expect(readRow(row)).toEqual(row)
  expect(readRow({})).toBeNull()
})
