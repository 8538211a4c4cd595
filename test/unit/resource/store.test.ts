import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Patch } from '../../../src/resource/fields/resource.ts'
import { fingerprintOf } from '../../../src/resource/writes/idempotency.ts'
import { type Crate, crate, crateResource, crateStore, emptyCrate, toRow } from '../../support/crates.ts'
import { createFakeDatabase, createRequestData, type FakeDatabase } from '../support/database.ts'

const [row, emptyRow] = [toRow(crate), toRow(emptyCrate)]
const { id, ...item } = crate
const { id: emptyId, ...emptyItem } = emptyCrate

describe('reads by id', () => {
  it('in one iteration are one statement, and each gets its own item, or null', async () => {
    const database = createFakeDatabase(() => [emptyRow, row])
    const ids = [id, '3', emptyId, id]
    const found = ids.map((one) => crateStore.find(createRequestData(database), one))
    expect(await Promise.all(found)).toEqual([crate, null, emptyCrate, crate])
    expect(database.statements).toMatchObject([{ parameters: [`{"${ids.join('","')}"}`] }])
    expect(database.callers).toEqual([4])
  })
})

describe('creations', () => {
  it('in one iteration are one statement, with all fields, and each gets its own id', async () => {
    const database = createFakeDatabase(() => [['11'], ['12']])
    const created = [item, emptyItem].map((one) => crateStore.create(createRequestData(database), one))
    expect(await Promise.all(created)).toEqual([
      { id: '11', ...item },
      { id: '12', ...emptyItem },
    ])
    expect(database.statements).toMatchObject([
      {
        name: 'createCrates',
        parameters: [
          ...['{"-7","0"}', '{"books",""}', '{"small",null}'],
          ...['{"a, \\"b\\"\n",null}', '{"box","piece"}'],
        ],
      },
    ])
    expect(database.callers).toEqual([2])
  })

  it('wait for the one that runs, and are joined, but wait 50 ms at most', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const database = createFakeDatabase()
    const callers: (number | undefined)[] = []
    database.query = (_, options) => {
      callers.push(options?.callers)
      return new Promise(() => undefined)
    }
    for (let turn = 1; turn <= 3; turn += 1) {
      void crateStore.create(createRequestData(database), item)
      await setImmediate()
    }
    vi.advanceTimersByTime(49)
    expect(callers).toEqual([1])
    vi.advanceTimersByTime(1)
    expect(callers).toEqual([1, 2])
  })

  it.each([
    ['without an id', [[null]]],
    ['too few', []],
    ['too many', [['11'], ['12']]],
  ])('fail if the returned rows are %s', async (_, rows) => {
    const database = createFakeDatabase(() => rows)
    await expect(crateStore.create(createRequestData(database), item)).rejects.toThrow()
  })
})

describe('updates', () => {
  const update = (database: FakeDatabase, id: string, patch: Patch<Crate>) =>
    crateStore.update(createRequestData(database), id, patch)

  it('in one iteration are one statement, and each gets its own item', async () => {
    const database = createFakeDatabase(() => [emptyRow, row])
    const updated = await Promise.all([
      update(database, id, { size: 'small', unit: 'box' }),
      update(database, emptyId, { label: '', note: null }),
    ])
    expect(updated).toEqual([crate, emptyCrate])
    expect(database.statements).toMatchObject([
      {
        name: 'updateCrates',
        prepare: true,
        parameters: [
          `{"${id}","${emptyId}"}`,
          // The values, and whether each is given.
          ...['{null,null}', '{null,""}', '{"small",null}', '{null,null}', '{"box",null}'],
          ...[
            '{"false","false"}',
            '{"false","true"}',
            '{"true","false"}',
            '{"false","true"}',
            '{"true","false"}',
          ],
        ],
      },
    ])
    expect(database.callers).toEqual([2])
  })

  it('that come second for an item, or whose item was left out, are run alone', async () => {
    const database = createFakeDatabase(({ name, parameters }) => {
      if (name === 'updateCrates') return [row]
      return [toRow(parameters.includes(id) ? { ...crate, label: 'maps' } : { ...emptyCrate, label: 'pens' })]
    })
    const updated = await Promise.all([
      update(database, id, { label: 'books' }),
      update(database, id, { label: 'maps', note: null }),
      update(database, emptyId, { label: 'pens' }),
    ])
    expect(updated.map((one) => one?.label)).toEqual(['books', 'maps', 'pens'])
    expect(database.statements).toMatchObject([
      { name: 'updateCrates' },
      { name: 'updateCrate', parameters: expect.arrayContaining([id, 'maps']) as string[] },
      { name: 'updateCrate', parameters: expect.arrayContaining([emptyId, 'pens']) as string[] },
    ])
    expect(database.callers).toEqual([2, 1, 1])
  })

  it('without fields are reads', async () => {
    const database = createFakeDatabase(() => [row])
    expect(await update(database, id, {})).toEqual(crate)
    expect(database.statements).toMatchObject([{ name: 'findCrates' }])
  })
})

describe('creations with an idempotency key', () => {
  const createOnce = (database: FakeDatabase, key: string, owner = 'client') =>
    crateStore.createOnce(createRequestData(database), item, { owner, idempotencyKey: key })
  // Creations delete expired keys from time to time; here, one has just done so.
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    await createOnce(
      createFakeDatabase(() => [['1']]),
      'first',
    )
  })
  afterEach(() => void vi.useRealTimers())

  it('in one iteration are one statement, and get ids in the order of their calls', async () => {
    const database = createFakeDatabase(() => [['11'], ['12']])
    const created = await Promise.all([createOnce(database, 'a'), createOnce(database, 'b')])
    expect(created.map(({ id }) => id)).toEqual(['11', '12'])
    expect(database.statements).toMatchObject([{ name: 'createCratesOnce', prepare: true }])
    expect(database.statements[0]?.parameters).toContain('{"a","b"}')
    expect(database.callers).toEqual([2])
  })

  it('are sent once for each key of a client; the others get the first answer', async () => {
    const used = fingerprintOf(crateResource, item)
    const database = createFakeDatabase(({ name }) =>
      name === 'createCratesOnce' ? [['11'], ['12']] : [[used, '11']],
    )
    const created = await Promise.all([
      createOnce(database, 'a'),
      createOnce(database, 'a'),
      createOnce(database, 'a', 'other'),
    ])
    expect(database.callers).toEqual([2, 1])
    expect(created[1].id).toBe('11')
  })

  it.each([
    ['while the first one is in flight', [], 'IDEMPOTENCY_KEY_IN_USE'],
    ['if the first one was different', [['another', '11']], 'IDEMPOTENCY_KEY_REUSED'],
  ])('are rejected %s', async (_, found, code) => {
    const database = createFakeDatabase(({ name }) => (name === 'createCratesOnce' ? [[null]] : found))
    await expect(createOnce(database, 'a')).rejects.toMatchObject({ code })
  })
})
