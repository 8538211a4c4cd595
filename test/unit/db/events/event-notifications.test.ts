import { describe, expect, it, vi } from 'vitest'
import { createEventReader, toNotifications } from '../../../../src/db/events/event-notifications.ts'
import type { RowEvent } from '../../../../src/db/events/row-event.ts'
import { eventSources } from '../../../../src/server/resources.ts'

const row = { id: 1, name: 'Rex', category_id: 8, status: 'sold', name_key: 'rex' }
const before = { id: 1, name: 'Max', category_id: 7, status: null, name_key: 'max' }
const event = { table: 'pets', kind: 'updated', row, before }
const text = JSON.stringify(event)
const expected: RowEvent = {
  table: 'pets',
  kind: 'updated',
  row: { ...row, id: '1', category_id: '8' },
  before: { ...before, id: '1', category_id: '7' },
}

/** Reads notifications from one connection. */
function read(...notifications: string[]) {
  const publish = vi.fn<(event: RowEvent) => void>()
  const endAll = vi.fn()
  notifications.forEach(createEventReader({ publish, endAll }, eventSources))
  return { events: publish.mock.calls.map(([published]) => published), ended: endAll.mock.calls.length }
}

/** An event in a number of parts, all empty but the last. */
const inParts = (count: number, id = '5.5-1') =>
  Array.from({ length: count }, (_, index) => {
    const part = index + 1 < count ? '' : Buffer.from(text).toString('base64')
    return `${id} ${index + 1} ${count} ${part}`
  })
/** As Postgres writes it: in lines. */
const [first = '', second = ''] = [text.slice(0, 99), text.slice(99)].map((half) =>
  Buffer.from(half).toString('base64').replaceAll(/.{76}/g, '$&\n'),
)

/** Bytes of a creation without a name. */
const EMPTY = JSON.stringify({ ...expected, row: { ...expected.row, name: '' }, before: null }).length

describe('an event is read', () => {
  it.each([
    ['from one notification', [`5.5-1 1 1 ${text}`], 1],
    ['from two parts', [`5.5-1 1 2 ${first}`, `5.5-1 2 2 ${second}`], 1],
    ['from the maximum number of parts', inParts(160), 1],
    ['after another one', [`5.5-1 1 1 ${text}`, `5.6-1 1 1 ${text}`], 2],
    ['with line breaks in it', [`5.5-1 1 1 ${JSON.stringify(event, null, 2)}`], 1],
  ])('%s', (_, notifications, count) => {
    expect(read(...notifications)).toEqual({
      events: Array.from({ length: count }, () => expected),
      ended: 0,
    })
  })

  it.each(['created', 'updated', 'deleted'])('of the kind %s', (kind) => {
    expect(read(`5.5 1 1 ${JSON.stringify({ ...event, kind })}`).events).toMatchObject([{ kind }])
  })

  it('unless it is about a table that only a later version knows', () => {
    expect(read(`5.5 1 1 ${JSON.stringify({ ...event, table: 'orders', kind: 'shipped' })}`)).toEqual({
      events: [],
      ended: 0,
    })
  })

  it.each([
    ['short', 'Rex', 1],
    ['as long as fits into one notification', 'x'.repeat(7_000 - EMPTY), 1],
    ['longer than that', 'x'.repeat(7_001 - EMPTY), 2],
    ['long, with characters of several bytes', 'é🐕'.repeat(5_000), 6],
  ])('as a server writes it on Citus: %s', (_, name, parts) => {
    const change: RowEvent = { ...expected, row: { ...expected.row, name }, before: null }
    const notifications = toNotifications(change)
    expect(notifications).toHaveLength(parts)
    for (const notification of notifications) expect(Buffer.byteLength(notification)).toBeLessThan(8_000)
    expect(read(...notifications, ...toNotifications(change))).toEqual({ events: [change, change], ended: 0 })
  })

  it('as long as the APIs allow', () => {
    const state = { ...expected.row, name: '\u0001'.repeat(2 ** 16), name_key: '\u0001'.repeat(500) }
    const change: RowEvent = { ...expected, row: state, before: { ...state, status: null } }
    const notifications = toNotifications(change)
    expect(notifications).toHaveLength(151)
    expect(read(...notifications)).toEqual({ events: [change], ended: 0 })
  })
})

it.each([
  ['numbers', `[${'1,'.repeat(460_000)}1]`],
  ['lists', `${'['.repeat(460_000)}${']'.repeat(460_000)}`],
  ['fields', `{${Array.from({ length: 90_000 }, (_, index) => `"${index}":1`).join()}}`],
  ['backslashes', `["${'\\'.repeat(920_000)}`],
  ['quotes', '"'.repeat(920_000)],
])('the most that anybody can send costs little: %s', (_, json) => {
  const size = Math.ceil(json.length / 160)
  const parts = Array.from({ length: 160 }, (_, index) => {
    const part = json.slice(index * size, (index + 1) * size)
    return `5.5 ${index + 1} 160 ${Buffer.from(part).toString('base64')}`
  })
  const start = process.cpuUsage()
  expect(read(...parts)).toEqual({ events: [], ended: 1 })
  const { user, system } = process.cpuUsage(start)
  // Microseconds, on a busy machine. Read as values, the numbers took a second.
  expect(user + system).toBeLessThan(400_000)
})

describe('all subscriptions end after', () => {
  const without = (name: string) => JSON.stringify({ ...event, [name]: undefined })
  const withRow = (changed: object) => JSON.stringify({ ...event, row: { ...row, ...changed } })

  it.each([
    ['a reset', 'reset'],
    ['an empty notification', ''],
    ['other text', 'hello'],
    ['text that is not JSON', '5.5 1 1 {'],
    ['JSON that is not an object', '5.5 1 1 null'],
    ['an empty object', '5.5 1 1 {}'],
    ['an event without a table', `5.5 1 1 ${without('table')}`],
    ['an event without a kind', `5.5 1 1 ${without('kind')}`],
    ['an event without a row', `5.5 1 1 ${without('row')}`],
    ['an event of another kind', `5.5 1 1 ${text.replace('updated', 'sold')}`],
    ['a row that is not an object', `5.5 1 1 ${JSON.stringify({ ...event, row: 7 })}`],
    ['a row without an id', `5.5 1 1 ${withRow({ id: undefined })}`],
    ['a row with an id beyond 64 bits', `5.5 1 1 ${withRow({ id: '9223372036854775808' })}`],
    ['an earlier row that is not an object', `5.5 1 1 ${JSON.stringify({ ...event, before: [] })}`],
    ['a second part without the first', `5.5 2 2 ${second}`],
    ['part 0', `5.5 0 1 ${text}`],
    ['the first of too many parts', inParts(161)[0] ?? ''],
    ['an event with too many values', `5.5 1 1 ${JSON.stringify({ ...event, row: Array(5_000).fill(1) })}`],
  ])('%s', (_, notification) => {
    expect(read(notification)).toEqual({ events: [], ended: 1 })
  })

  it('a missing part, and later events are read again', () => {
    const parts = [`5.5 1 3 ${first}`, `5.5 3 3 ${second}`]
    const { events, ended } = read(...parts, `5.6 1 1 ${text}`)
    expect(events).toHaveLength(1)
    expect(ended).toBe(1)
  })

  it('parts of another event in the middle of an event', () => {
    const { events, ended } = read(`5.5 1 2 ${first}`, `5.6 1 1 ${text}`, `5.5 2 2 ${second}`)
    expect(events).toHaveLength(1)
    expect(ended).toBe(1)
  })
})
