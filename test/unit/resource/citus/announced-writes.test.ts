import { expect, it } from 'vitest'
import { Announcer } from '../../../../src/db/events/citus-announcer.ts'
import { readEvent, type RowEvent } from '../../../../src/db/events/event-notifications.ts'
import type { TextRow } from '../../../../src/db/postgres/statement.ts'
import { readArray } from '../../../../src/db/postgres/text-values.ts'
import type { RequestData } from '../../../../src/db/request-data.ts'
import { buildCitusWrites } from '../../../../src/resource/citus/citus-writes.ts'
import { eventSourceOf } from '../../../../src/resource/events.ts'
import { crate, crateResource, crateStore, createCrateEvent, toRow } from '../../../support/crates.ts'
import { createFakeDatabase, createRequestData } from '../../support/database.ts'

const { id, ...item } = crate
const { row: state } = createCrateEvent(id)
/** The crate as it is stored, with its sort key. */
const stored = [...toRow(crate), 'books']

/** The events that a write announces. @param written the rows that it returns */
async function announcedBy(
  write: (requestData: RequestData) => Promise<unknown>,
  written: TextRow[],
): Promise<(RowEvent | null)[]> {
  const events: (string | null)[] = []
  const fake = createFakeDatabase(({ name, parameters }) => {
    if (name === 'announceChanges') events.push(...readArray(parameters[0]))
    return name === 'drawCrateIds' ? [[id]] : written
  })
  const announcer = new Announcer(fake, ['crates'])
  await write(createRequestData({ ...fake, requireDialect: () => ({ name: 'citus', announcer }) }))
  announcer.close()
  return events.map((event) => readEvent(event ?? '', [eventSourceOf(crateResource)]))
}

it.each<[string, (requestData: RequestData) => Promise<unknown>, TextRow[], RowEvent[]]>([
  [
    'a creation',
    (requestData) => crateStore.create(requestData, item),
    [stored],
    [{ table: 'crates', kind: 'created', row: { ...state, note: item.note }, before: null }],
  ],
  [
    'a creation with an idempotency key',
    (requestData) => crateStore.createOnce(requestData, item, { owner: 'client', idempotencyKey: 'key' }),
    [stored],
    [{ table: 'crates', kind: 'created', row: { ...state, note: item.note }, before: null }],
  ],
  [
    'an update, with what was there before',
    (requestData) => crateStore.update(requestData, id, { note: item.note }),
    [[...stored, ...toRow({ ...crate, note: null, label: 'Maps' }), 'maps']],
    [
      {
        table: 'crates',
        kind: 'updated',
        row: { ...state, note: item.note },
        before: { ...state, label: 'Maps', label_key: 'maps' },
      },
    ],
  ],
  [
    'a deletion',
    (requestData) => crateStore.delete(requestData, id),
    [stored],
    [{ table: 'crates', kind: 'deleted', row: { ...state, note: item.note }, before: null }],
  ],
  ['no event if no item was deleted', (requestData) => crateStore.delete(requestData, id), [], []],
])('on Citus, a write announces %s', async (_, write, written, events) => {
  expect(await announcedBy(write, written)).toEqual(events)
})

it('a write of a resource without events announces nothing', async () => {
  const database = createFakeDatabase(() => [stored])
  const announcer = new Announcer(database, [])
  const requestData = createRequestData({ ...database, requireDialect: () => ({ name: 'citus', announcer }) })
  const writes = buildCitusWrites({ ...crateResource, hasEvents: false })
  await writes.delete(requestData, id, {})
  await writes.update(requestData, id, { note: null }, {})
  expect(database.statements.map(({ name }) => name)).toEqual(['deleteCrate', 'updateCrate'])
})

it('nothing is written on a database that is not on Citus, whose triggers announce all writes', async () => {
  const database = createFakeDatabase(() => [stored])
  const requestData = createRequestData(database)
  const { update } = buildCitusWrites(crateResource)
  await expect(update(requestData, id, { note: null }, {})).rejects.toThrow(
    'The server does not announce writes on postgres',
  )
  expect(database.statements).toEqual([])
})
