import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { petResource, petStore } from '../../../src/pets/pet-resource.ts'
import { fingerprintOf } from '../../../src/resource/idempotency.ts'
import { createStore } from '../../../src/resource/store.ts'
import type { NewPet } from '../../../src/pets/table.ts'
import { crate, crateResource } from '../../support/crates.ts'
import { createFakeDatabase, createRequestData, type FakeDatabase } from '../support/database.ts'

const rexRow = ['1', 'Rex', '7', 'sold']
const rex = { id: '1', name: 'Rex', categoryId: '7', status: 'sold' }

describe('reads by id', () => {
  it('in one turn are one statement, and each gets its own pet, or null', async () => {
    const database = createFakeDatabase(() => [['2', 'Max', '-8', null], rexRow])
    const found = await Promise.all(
      ['1', '3', '2', '1'].map((id) => petStore.find(createRequestData(database), id)),
    )
    expect(found).toEqual([rex, null, { id: '2', name: 'Max', categoryId: '-8', status: null }, rex])
    expect(database.statements).toMatchObject([{ parameters: ['{"1","3","2","1"}'] }])
    expect(database.callers).toEqual([4])
  })
})

describe('creations', () => {
  const [first, second] = [
    { name: 'Rex', categoryId: '7', status: 'sold' },
    { name: 'a"\\', categoryId: '-8', status: null },
  ] as const

  it('in one turn are one statement, and each gets its own id', async () => {
    const database = createFakeDatabase(() => [['11'], ['12']])
    expect(
      await Promise.all([
        petStore.create(createRequestData(database), first),
        petStore.create(createRequestData(database), second),
      ]),
    ).toEqual([
      { id: '11', ...first },
      { id: '12', ...second },
    ])
    expect(database.statements).toMatchObject([
      { parameters: ['{"Rex","a\\"\\\\"}', '{"7","-8"}', '{"sold",null}'] },
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
      void petStore.create(createRequestData(database), first)
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
    await expect(petStore.create(createRequestData(database), first)).rejects.toThrow()
  })
})

describe('updates', () => {
  const update = (database: FakeDatabase, id: string, patch: Partial<NewPet>) =>
    petStore.update(createRequestData(database), id, patch)

  it('in one turn are one statement, and each gets its own pet', async () => {
    const database = createFakeDatabase(() => [['2', 'Max', '-8', null], rexRow])
    const updated = await Promise.all([
      update(database, '1', { status: 'sold' }),
      update(database, '2', { name: 'Max', status: null }),
    ])
    expect(updated).toEqual([rex, { id: '2', name: 'Max', categoryId: '-8', status: null }])
    expect(database.statements).toMatchObject([
      {
        name: 'updatePets',
        prepare: true,
        parameters: [
          ...['{"2","1"}', '{"Max",null}', '{null,null}', '{null,"sold"}'],
          ...['{"true","false"}', '{"false","false"}', '{"true","true"}'],
        ],
      },
    ])
    expect(database.callers).toEqual([2])
  })

  it('that come second for a pet, or whose pet was left out, are run alone', async () => {
    const database = createFakeDatabase(({ name, parameters }) => {
      if (name === 'updatePets') return [rexRow]
      return parameters.includes('1') ? [['1', 'Max', '7', 'sold']] : [['2', 'Bob', '7', null]]
    })
    const updated = await Promise.all([
      update(database, '1', { name: 'Rex' }),
      update(database, '1', { name: 'Max' }),
      update(database, '2', { name: 'Bob' }),
    ])
    expect(updated.map((pet) => pet?.name)).toEqual(['Rex', 'Max', 'Bob'])
    expect(database.statements.map(({ name }) => name)).toEqual(['updatePets', 'updatePet', 'updatePet'])
    expect(database.callers).toEqual([2, 1, 1])
  })
})

it('an update without fields is a read', async () => {
  const database = createFakeDatabase(() => [rexRow])
  expect(await petStore.update(createRequestData(database), '1', {})).toEqual(rex)
  expect(database.statements).toMatchObject([{ name: 'findPets' }])
})

describe('creations with an idempotency key', () => {
  const pet: NewPet = { name: 'Rex', categoryId: '7', status: 'sold' }
  const createOnce = (database: FakeDatabase, key: string, owner = 'client') =>
    petStore.createOnce(createRequestData(database), pet, { owner, key })
  // Creations delete expired keys from time to time; here, one has just done so.
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    await createOnce(
      createFakeDatabase(() => [['1']]),
      'first',
    )
  })
  afterEach(() => void vi.useRealTimers())

  it('in one turn are one statement, and each gets its own id', async () => {
    const database = createFakeDatabase(() => [['11'], ['12']])
    const created = await Promise.all([createOnce(database, 'a'), createOnce(database, 'b')])
    expect(created.map(({ id }) => id).sort()).toEqual(['11', '12'])
    expect(database.statements).toMatchObject([{ name: 'createPetsOnce', prepare: true }])
    expect(database.callers).toEqual([2])
  })

  it('are sent once for each key of a client; the others get the first answer', async () => {
    const used = fingerprintOf(petResource, pet)
    const database = createFakeDatabase(({ name }) =>
      name === 'createPetsOnce' ? [['11'], ['12']] : [[used, '11']],
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
    const database = createFakeDatabase(({ name }) => (name === 'createPetsOnce' ? [[null]] : found))
    await expect(createOnce(database, 'a')).rejects.toMatchObject({ code })
  })
})

it('items of any resource are created and updated with all their fields', async () => {
  const store = createStore(crateResource)
  const { id, ...item } = crate
  const row = [id, '-7', 'books', 'small', item.note, 'box']
  const database = createFakeDatabase(({ name }) =>
    name === 'updateCrates' ? [] : [name === 'createCrates' ? [id] : row],
  )
  const requestData = createRequestData(database)
  expect(await store.create(requestData, item)).toEqual(crate)
  expect(await store.update(requestData, id, { label: 'a', note: null, unit: 'box' })).toEqual(crate)
  expect(database.statements).toMatchObject([
    {
      name: 'createCrates',
      parameters: ['{"-7"}', '{"books"}', '{"small"}', '{"a, \\"b\\"\n"}', '{"box"}'],
    },
    { name: 'updateCrates' },
    { name: 'updateCrate', parameters: ['a', null, 'box', id] },
  ])
})
