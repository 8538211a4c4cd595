import { describe, expect, it, vi } from 'vitest'
import { createEventReader } from '../../../../src/db/events/change-notifications.ts'
import type { RowEvent } from '../../../../src/db/events/change-feed.ts'
import { petEvents } from '../../../../src/pets/pets.ts'

const event = {
  kind: 'updated',
  id: '1',
  name: 'Rex',
  states: [
    {
      row: { id: 1, name: 'Rex', category_id: 8, status: 'sold' },
      ...{ categoryId: '8', status: 'sold', nameKey: 'rex' },
    },
    {
      row: { id: 1, name: 'Max', category_id: 7, status: null },
      ...{ categoryId: '7', status: null, nameKey: 'max' },
    },
  ],
}
const text = JSON.stringify(event)

/** Reads notifications from one connection. */
function read(...notifications: string[]) {
  const publish = vi.fn<(event: RowEvent) => void>()
  const endAll = vi.fn()
  notifications.forEach(createEventReader({ publish, endAll }, petEvents))
  return { events: publish.mock.calls.map(([published]) => published), ended: endAll.mock.calls.length }
}

/** A text split into parts of one character each. */
const inParts = (whole: string) =>
  Array.from(whole, (character, index) => `5.5 ${index + 1} ${whole.length} ${character}`)

/** A text split into a number of parts, all empty but the last. */
const inNumberOfParts = (count: number) =>
  Array.from({ length: count }, (_, index) => `5.5 ${index + 1} ${count} ${index + 1 < count ? '' : text}`)

describe('an event is read', () => {
  const expected: RowEvent = {
    kind: 'updated',
    row: { id: '1', name: 'Rex', category_id: '8', status: 'sold', nameKey: 'rex' },
    before: { id: '1', name: 'Max', category_id: '7', status: null, nameKey: 'max' },
  }

  it.each([
    ['from one notification', [`5.5 1 1 ${text}`], 1],
    ['from two parts', [`5.5 1 2 ${text.slice(0, 9)}`, `5.5 2 2 ${text.slice(9)}`], 1],
    ['from many parts', inParts(text), 1],
    ['from 1,000 parts', inNumberOfParts(1_000), 1],
    ['after another one', [`5.5 1 1 ${text}`, `5.6 1 1 ${text}`], 2],
    ['with line breaks in it', [`5.5 1 1 ${JSON.stringify(event, null, 2)}`], 1],
  ])('%s', (_, notifications, count) => {
    expect(read(...notifications)).toEqual({
      events: Array.from({ length: count }, () => expected),
      ended: 0,
    })
  })

  it.each(['created', 'updated', 'deleted'])('of the kind %s', (kind) => {
    expect(read(`5.5 1 1 ${JSON.stringify({ ...event, kind })}`).events).toMatchObject([{ kind }])
  })

  it('as version 1.0 wrote it, without rows: what it does not say of the pet before is as it is now', () => {
    const states = event.states.map((state) => ({ ...state, row: undefined }))
    expect(read(`5.5 1 1 ${JSON.stringify({ ...event, states })}`)).toEqual({
      events: [{ ...expected, before: { ...expected.before, name: 'Rex' } }],
      ended: 0,
    })
  })
})

describe('all subscriptions end after', () => {
  const state = event.states[0]
  const earlier = { ...state, row: undefined }
  const without = (name: string) => JSON.stringify({ ...event, [name]: undefined })
  const withRow = (changed: object) => ({ ...state, row: { ...state?.row, ...changed } })
  const withState = (changed: object) => JSON.stringify({ ...event, states: [withRow(changed)] })

  it.each([
    ['a reset', 'reset'],
    ['an empty notification', ''],
    ['other text', 'hello'],
    ['text that is not JSON', '5.5 1 1 {'],
    ['JSON that is not an object', '5.5 1 1 null'],
    ['an empty object', '5.5 1 1 {}'],
    ['a state without an id', `5.5 1 1 ${withState({ id: undefined })}`],
    ['a state without a name', `5.5 1 1 ${withState({ name: undefined })}`],
    ['a state without a row', `5.5 1 1 ${JSON.stringify({ ...event, states: [{ ...state, row: null }] })}`],
    [
      'a state of version 1.0 without a name',
      `5.5 1 1 ${JSON.stringify({ kind: 'created', id: '1', states: [earlier] })}`,
    ],
    [
      'a state of version 1.0 without a category',
      `5.5 1 1 ${JSON.stringify({ ...event, states: [{ ...earlier, categoryId: undefined }] })}`,
    ],
    ['an event without a kind', `5.5 1 1 ${without('kind')}`],
    ['an event without states', `5.5 1 1 ${without('states')}`],
    ['an event with an empty list of states', `5.5 1 1 ${JSON.stringify({ ...event, states: [] })}`],
    [
      'an event with a state that is not an object',
      `5.5 1 1 ${JSON.stringify({ ...event, states: [null] })}`,
    ],
    ['a state without a name key', `5.5 1 1 ${text.replace('nameKey', 'key')}`],
    ['a state without a category', `5.5 1 1 ${withState({ category_id: undefined })}`],
    ['a state with a category that is not an integer', `5.5 1 1 ${withState({ category_id: 7.5 })}`],
    ['a state with an unknown status', `5.5 1 1 ${withState({ status: 'lost' })}`],
    ['a state with an id beyond 64 bits', `5.5 1 1 ${withState({ id: '9223372036854775808' })}`],
    [
      'a second state without a category',
      `5.5 1 1 ${JSON.stringify({ ...event, states: [state, withRow({ category_id: undefined })] })}`,
    ],
    ['an event with three states', `5.5 1 1 ${JSON.stringify({ ...event, states: [state, state, state] })}`],
    ['an event of another kind', `5.5 1 1 ${text.replace('updated', 'sold')}`],
    ['a second part without the first', `5.5 2 2 ${text}`],
    ['part 0', `5.5 0 1 ${text}`],
  ])('%s', (_, notification) => {
    expect(read(notification)).toEqual({ events: [], ended: 1 })
  })

  it('1,001 parts of one event', () => {
    const { events, ended } = read(...inNumberOfParts(1_001))
    expect(events).toEqual([])
    expect(ended).toBeGreaterThan(0)
  })

  it('a missing part, and later events are read again', () => {
    const parts = [`5.5 1 3 ${text.slice(0, 9)}`, `5.5 3 3 ${text.slice(9)}`]
    const { events, ended } = read(...parts, `5.6 1 1 ${text}`)
    expect(events).toHaveLength(1)
    expect(ended).toBe(1)
  })

  it('parts of another event in the middle of an event', () => {
    const parts = [`5.5 1 2 ${text.slice(0, 9)}`, `5.5 2 2 ${text.slice(9)}`] as const
    const { events, ended } = read(parts[0], `5.6 1 1 ${text}`, parts[1])
    expect(events).toHaveLength(1)
    expect(ended).toBe(1)
  })
})
