import { describe, expect, it } from 'vitest'
import { readEvent } from '../../../../src/db/events/event-notifications.ts'
import { eventSourceOf } from '../../../../src/resource/events.ts'
import { crateResource, createCrateEvent } from '../../../support/crates.ts'

/** As the trigger sends it. */
const id = '3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11'
const state = createCrateEvent(1).row
const row = { ...state, id: 1, owner_id: 8 }
const before = { ...state, id: 1, owner_id: 7, size: null }
const event = { id, table: 'crates', kind: 'updated', row, before }
const read = (notification: unknown) =>
  readEvent(typeof notification === 'string' ? notification : JSON.stringify(notification), [
    eventSourceOf(crateResource),
  ])

describe('an event is read', () => {
  it('with each int64 as digits', () => {
    const expected = {
      table: 'crates',
      kind: 'updated',
      row: { ...row, id: '9223372036854775807', owner_id: '8' },
      before: { ...before, id: '1', owner_id: '7' },
    }
    expect(read(JSON.stringify(event).replace('"id":1', '"id":9223372036854775807'))).toEqual(expected)
  })

  it.each(['created', 'updated', 'deleted'])('of the kind %s', (kind) => {
    expect(read({ ...event, kind })).toMatchObject({ kind })
    expect(read({ ...event, kind, before: undefined })).toMatchObject({ kind, before: null })
  })
})

describe('a notification is not an event:', () => {
  it.each<[string, unknown]>([
    ['a reset', 'reset'],
    ['an empty notification', ''],
    ['text that is not JSON', '{'],
    ['JSON that is nested too deeply', '['.repeat(7_999)],
    ['JSON that is not an object', 'null'],
    ['an empty object', {}],
    ['one without a table', { ...event, table: undefined }],
    ['one of an unknown table', { ...event, table: 'toys' }],
    ['one without a kind', { ...event, kind: undefined }],
    ['one of another kind', { ...event, kind: 'small' }],
    ['one without a row', { ...event, row: undefined }],
    ['one whose row is not an object', { ...event, row: 7 }],
    ['one whose row has no id', { ...event, row: { ...row, id: undefined } }],
    ['one whose row has an id beyond 64 bits', { ...event, row: { ...row, id: '9223372036854775808' } }],
    ['one whose earlier row is not an object', { ...event, before: [] }],
  ])('%s', (_, notification) => {
    expect(read(notification)).toBeNull()
  })
})
