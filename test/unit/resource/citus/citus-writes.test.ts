import { expect, it } from 'vitest'
import { crate, crateStore, toRow } from '../../../support/crates.ts'
import type { RequestData } from '../../../../src/db/request-data.ts'
import {
  CITUS_DIALECT,
  createFakeDatabase,
  createRequestData,
  type FakeDatabase,
} from '../../support/database.ts'
import { databaseErrorOf } from '../../support/database-error.ts'

const { id, ...item } = crate

/** Creates an item with each key, all in one iteration of the event loop. */
const createWithKeys = (database: FakeDatabase, keys: string[]) =>
  Promise.allSettled(
    keys.map((idempotencyKey) =>
      crateStore.createOnce(createRequestData(database), item, { owner: 'client', idempotencyKey }),
    ),
  )

it('of items that are created together, each gets its own id, though the shards answer in any order', async () => {
  const labels = ['books', 'maps', 'toys']
  const database = createFakeDatabase(
    ({ name }) =>
      name === 'drawCrateIds'
        ? labels.map((_, index) => [String(index + 1)])
        : labels.map((label, index) => toRow({ ...item, id: String(index + 1), label })).reverse(),
    CITUS_DIALECT,
  )
  const created = await Promise.all(
    labels.map((label) => crateStore.create(createRequestData(database), { ...item, label })),
  )
  expect(created.map((each) => [each.id, each.label])).toEqual([
    ['1', 'books'],
    ['2', 'maps'],
    ['3', 'toys'],
  ])
})

it('of creations with keys that arrived together, only the one that draws a taken id is repeated', async () => {
  const sent: string[] = []
  const database = createFakeDatabase(({ name, parameters: [, key] }) => {
    if (name !== 'createCrateOnce') return []
    sent.push(String(key))
    if (sent.length === 1) throw databaseErrorOf('23505')
    return [toRow({ ...item, id: String(sent.length) })]
  }, CITUS_DIALECT)
  expect(await createWithKeys(database, ['taken', 'other'])).toMatchObject([
    { value: { id: '3' } },
    { value: { id: '2' } },
  ])
  expect(sent).toEqual(['taken', 'other', 'taken'])
})

it('of creations with keys that arrived together, only those with the key whose statement fails do', async () => {
  const database = createFakeDatabase(({ parameters: [, key] }) => {
    if (key === 'bad') throw databaseErrorOf('XX000')
    return [toRow({ ...item, id: '11' })]
  }, CITUS_DIALECT)
  expect(await createWithKeys(database, ['bad', 'bad', 'good'])).toMatchObject([
    { reason: { databaseCode: 'XX000' } },
    { reason: { databaseCode: 'XX000' } },
    { value: { id: '11' } },
  ])
})

it.each<[string, (requestData: RequestData) => Promise<unknown>, callers: number, ofRequest: boolean]>([
  [
    'creations that arrive together count for all of them',
    (requestData) => Promise.all([1, 2, 3].map(() => crateStore.create(requestData, item))),
    3,
    false,
  ],
  [
    'a creation with a key, for one',
    (requestData) => crateStore.createOnce(requestData, item, { owner: 'client', idempotencyKey: 'key' }),
    1,
    false,
  ],
  [
    'an update, for its request',
    (requestData) => crateStore.update(requestData, id, { size: null }),
    1,
    true,
  ],
  ['a deletion, for its request', (requestData) => crateStore.delete(requestData, id), 1, true],
])('the statements of %s', async (_, write, callers, ofRequest) => {
  const database = createFakeDatabase(
    ({ name }) => (name === 'drawCrateIds' ? [['1'], ['2'], ['3']] : [toRow(crate)]),
    CITUS_DIALECT,
  )
  const requestData = createRequestData(database)
  await write(requestData)
  const written = database.statements.flatMap(({ text }, index) => (/crates/.test(text) ? [index] : []))
  expect(written).not.toEqual([])
  for (const index of written) {
    expect(database.callers[index]).toBe(callers)
    expect(database.owners[index]).toBe(ofRequest ? requestData : null)
  }
})

it('updates are not joined', async () => {
  const database = createFakeDatabase(() => [toRow(crate)], CITUS_DIALECT)
  await Promise.all(
    [id, '2'].map((one) => crateStore.update(createRequestData(database), one, { label: 'maps' })),
  )
  expect(database.statements.map(({ name }) => name)).toEqual(['updateCrate', 'updateCrate'])
})
