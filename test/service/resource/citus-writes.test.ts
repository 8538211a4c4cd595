/** What the statements for Citus do, on a database that is none: whether Citus accepts them is for the project `citus` to find out. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Announcer } from '../../../src/db/events/citus-announcer.ts'
import { readEvent, type RowEvent } from '../../../src/db/events/event-notifications.ts'
import { readArray } from '../../../src/db/postgres/text-values.ts'
import type { RequestData } from '../../../src/db/request-data.ts'
import { eventSourceOf } from '../../../src/resource/events.ts'
import { type CrateDatabase, createCrateDatabase } from '../../support/crate-database.ts'
import { crateResource, crateStore, firstPage, loadCrates } from '../../support/crates.ts'
import { eventually } from '../../support/eventually.ts'
import { createFakeDatabase, createRequestData } from '../../unit/support/database.ts'

// On Citus, the table would have to be distributed; what is written of pets is tested there.
describe.skipIf(process.env.TEST_DATABASE === 'citus')('the writes for Citus', () => {
  const item = { ownerId: '-7', label: 'books', size: 'small', note: 'a, "b"\n', unit: 'box' } as const
  const used = { owner: 'client', idempotencyKey: 'key' }
  let database: CrateDatabase
  let requestData: RequestData
  /** What has been announced. */
  let events: (RowEvent | null)[]
  const list = () => loadCrates(requestData, firstPage)

  beforeEach(async () => {
    database = await createCrateDatabase()
    events = []
    const source = eventSourceOf(crateResource)
    const announcer = new Announcer(
      createFakeDatabase(({ parameters: [texts = null] }) => {
        events.push(...readArray(texts).map((text) => readEvent(text ?? '', [source])))
        return []
      }),
      ['crates'],
    )
    requestData = createRequestData(createFakeDatabase(database.query, { name: 'citus', announcer }))
  })

  it('create several items, each with an id of its own', async () => {
    const labels = ['books', 'maps', 'toys']
    const created = await Promise.all(
      labels.map((label) => crateStore.create(requestData, { ...item, label })),
    )
    expect(created.map(({ label }) => label)).toEqual(labels)
    expect(await list()).toMatchObject(created)
    expect(events).toMatchObject(created.map((row) => ({ kind: 'created', row: { id: row.id } })))
  })

  it('create an item once for an idempotency key', async () => {
    const create = () => crateStore.createOnce(requestData, item, used)
    const [first, ...retries] = [await create(), await create(), await create()]
    expect(retries).toEqual([first, first])
    await expect(crateStore.createOnce(requestData, { ...item, note: 'other' }, used)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
    expect(await list()).toMatchObject([first])
    expect(events).toMatchObject([{ kind: 'created', row: { id: first.id } }])
  })

  it('update an item, and announce it as it was and is', async () => {
    const { id } = await crateStore.create(requestData, item)
    const other = await crateStore.create(requestData, item)
    const updated = await crateStore.update(
      requestData,
      id,
      { label: 'MAPS', size: null },
      { label: 'books' },
    )
    expect(updated).toEqual({ ...item, id, label: 'MAPS', size: null })
    expect(await list()).toMatchObject([updated, other])
    expect(events.slice(2)).toMatchObject([
      {
        kind: 'updated',
        row: { id, label: 'MAPS', size: null, label_key: 'maps', note: item.note },
        before: { id, label: 'books', size: 'small', label_key: 'books', note: item.note },
      },
    ])
  })

  it('announce an item as another transaction has left it, for which the update waited', async ({ skip }) => {
    skip(process.env.TEST_DATABASE === 'embedded', 'the embedded database has one session')
    const { id } = await crateStore.create(requestData, item)
    const sql = database.connect()
    onTestFinished(() => sql.end())
    const updating = await sql.begin(async (other) => {
      await other`update crates set label = 'maps' where id = ${id}`
      const update = crateStore.update(requestData, id, { size: null })
      await eventually(async () => {
        expect(
          await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        ).not.toEqual([])
      })
      // In an object, so that the transaction does not wait for it.
      return { update }
    })
    expect(await updating.update).toMatchObject({ id, label: 'maps', size: null })
    expect(events.slice(1)).toMatchObject([
      { row: { label: 'maps', size: null }, before: { label: 'maps', size: 'small' } },
    ])
  })

  it('delete an item', async () => {
    const { id } = await crateStore.create(requestData, item)
    expect(await crateStore.delete(requestData, id)).toEqual({ ...item, id })
    expect(await list()).toMatchObject([])
    expect(events.slice(1)).toMatchObject([{ kind: 'deleted', row: { id } }])
  })

  it('change nothing of an item that is not as expected', async () => {
    const created = await crateStore.create(requestData, item)
    const expected = { size: 'large' } as const
    for (const write of [
      crateStore.update(requestData, created.id, { label: 'maps' }, expected),
      crateStore.delete(requestData, created.id, expected),
    ])
      await expect(write).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await list()).toMatchObject([created])
    expect(events).toHaveLength(1)
  })
})
