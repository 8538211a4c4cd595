import { expect, it } from 'vitest'
import { Announcer } from '../../../../src/db/events/citus-announcer.ts'
import { readEvent, type RowEvent } from '../../../../src/db/events/event-notifications.ts'
import type { TextRow } from '../../../../src/db/postgres/statement.ts'
import { readArray } from '../../../../src/db/postgres/text-values.ts'
import type { RequestData } from '../../../../src/db/request-data.ts'
import { buildCitusWrites } from '../../../../src/resource/citus/citus-writes.ts'
import type { Writes } from '../../../../src/resource/writes/writes.ts'
import { eventSourceOf } from '../../../../src/resource/events.ts'
import {
  type Crate,
  crate,
  crateResource,
  crateStore,
  createCrateEvent,
  toRow,
} from '../../../support/crates.ts'
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

interface Announced {
  write: (requestData: RequestData) => Promise<unknown>
  written: TextRow[]
  event: Omit<RowEvent, 'table'>
}

/** One for each write; `updateMany` is missing on Citus. */
const announced: Record<Exclude<keyof Writes<Crate>, 'updateMany'>, Announced> = {
  createMany: {
    write: (requestData) => crateStore.create(requestData, item),
    written: [stored],
    event: { kind: 'created', row: { ...state, note: item.note }, before: null },
  },
  createManyOnce: {
    write: (requestData) =>
      crateStore.createOnce(requestData, item, { owner: 'client', idempotencyKey: 'key' }),
    written: [stored],
    event: { kind: 'created', row: { ...state, note: item.note }, before: null },
  },
  update: {
    write: (requestData) => crateStore.update(requestData, id, { note: item.note }),
    written: [[...stored, ...toRow({ ...crate, note: null, label: 'Maps' }), 'maps']],
    event: {
      kind: 'updated',
      row: { ...state, note: item.note },
      before: { ...state, label: 'Maps', label_key: 'maps' },
    },
  },
  delete: {
    write: (requestData) => crateStore.delete(requestData, id),
    written: [stored],
    event: { kind: 'deleted', row: { ...state, note: item.note }, before: null },
  },
}

it.each(Object.entries(announced))(
  'on Citus, %s announces what it has written',
  async (_, { write, written, event }) => {
    expect(await announcedBy(write, written)).toEqual([{ table: 'crates', ...event }])
  },
)

it('a deletion that finds no item announces nothing', async () => {
  expect(await announcedBy((requestData) => crateStore.delete(requestData, id), [])).toEqual([])
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
