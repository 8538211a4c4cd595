/** Servers of version 1.0 and of this one on one database, while an upgrade replaces one with the other. */
import fc from 'fast-check'
import type { Sql } from 'postgres'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Announcer } from '../../src/db/citus/announcer.ts'
import { createEventReader } from '../../src/db/events/change-notifications.ts'
import type { RowEvent } from '../../src/db/events/change-feed.ts'
import type { Statement } from '../../src/db/postgres/statement.ts'
import { petEvents } from '../../src/pets/pets.ts'
import { petStatus } from '../../src/pets/table.ts'
import { createClient } from '../support/client.ts'
import { createPostgresDatabase, type TestDatabase } from '../support/database.ts'
import { type EventStream, subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { MIGRATIONS, migrateTo } from '../support/migrations.ts'
import { endPrograms, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import {
  createEarlierReader,
  createEarlierServer,
  type EarlierChange,
  type EarlierEvent,
  type EarlierPet,
  type EarlierServer,
  type StoredPet,
} from './earlier-server.ts'

/** SEED repeats a run. CI sends the same pets every time. */
const seed = Number(process.env.SEED ?? (process.env.CI ? 1 : Date.now() % 2 ** 31))
/** How many migrations version 1.0 has, and how many there are before events contain rows. */
const RELEASED = MIGRATIONS.indexOf('0002_graph') + 1
const EARLIER = MIGRATIONS.indexOf('0007_row_events')

let database: TestDatabase
let sql: Sql
beforeEach(async () => {
  database = await createPostgresDatabase()
  sql = database.connect()
})
afterEach(async () => {
  await endPrograms()
  await sql.end()
  await database.remove()
})

describe('an event says the same to a server of version 1.0 and to one of this version', () => {
  const pet = fc.record({
    name: fc.string({ unit: 'binary', maxLength: 600 }).filter((name) => !name.includes('\0')),
    categoryId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    status: fc.option(fc.constantFrom(...petStatus.enumValues)),
  })

  /** As they read it; null: all their subscriptions end. */
  interface Reading {
    earlier: EarlierEvent | null
    current: RowEvent | null
  }

  /** Reads the notifications of the database as both do. @returns reads the one that a write sends */
  async function listen(): Promise<(write: () => Promise<unknown>) => Promise<Reading>> {
    let earlier: EarlierEvent | null = null
    let current: RowEvent | null = null
    let onRead: (reading: Reading) => void = () => expect.unreachable('an event that nothing has sent')
    const readers = [
      createEarlierReader(
        (event) => (earlier = event),
        () => (earlier = null),
      ),
      createEventReader(
        {
          publish(event) {
            current = event
            onRead({ earlier, current })
          },
          endAll() {
            current = null
            onRead({ earlier, current })
          },
        },
        petEvents,
      ),
    ]
    await sql.listen('pet_changes', (notification) => readers.forEach((read) => read(notification)))
    return async (write) => {
      const { promise, resolve } = Promise.withResolvers<Reading>()
      onRead = resolve
      await write()
      return promise
    }
  }

  /** Makes the change with SQL; the trigger sends it. */
  function change({ kind, pet: { id, name, categoryId, status }, before }: EarlierChange) {
    const first = before ?? { name, categoryId, status }
    return sql.begin(async (tx) => {
      const silence = (value: string) => tx`select set_config('pet_store.silent', ${value}, true)`
      await silence(kind === 'created' ? 'off' : 'on')
      await tx`
        insert into pets (id, name, category_id, status) overriding system value
        values (${id}, ${first.name}, ${first.categoryId}, ${first.status})`
      await silence('off')
      if (kind === 'updated')
        await tx`update pets set name = ${name}, category_id = ${categoryId}, status = ${status} where id = ${id}`
      await silence(kind === 'deleted' ? 'off' : 'on')
      await tx`delete from pets where id = ${id}`
    })
  }

  /** Announces the change as a server of this version does on Citus. */
  async function announce({ kind, pet, before }: EarlierChange): Promise<void> {
    const query = async ({ text, parameters }: Statement) => {
      await sql.unsafe(text, [...parameters])
      return []
    }
    const announcer = new Announcer(petEvents, { query })
    const { id } = pet
    const rowOf = ({ name, categoryId, status }: EarlierPet) => ({
      id,
      name,
      category_id: categoryId,
      status,
    })
    await announcer.announce(Promise.resolve(), () => [
      { kind, row: rowOf(pet), before: before && rowOf(before) },
    ])
    await announcer.close()
  }

  const announceEarlier = (change: EarlierChange) => createEarlierServer(sql).announce(change)

  it.each<[writer: string, isEarlier: boolean, write: (change: EarlierChange) => Promise<unknown>]>([
    ['the trigger of version 1.0', true, change],
    ['the trigger of this version', false, change],
    ['a server of version 1.0 on Citus', true, announceEarlier],
    ['a server of this version on Citus', false, announce],
  ])(`from %s (SEED=${seed})`, async (_, isEarlier, write) => {
    await migrateTo(isEarlier ? EARLIER : MIGRATIONS.length, sql)
    const read = await listen()
    const id = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String)
    const states = fc.oneof(fc.tuple(pet), fc.tuple(pet, pet))
    await fc.assert(
      fc.asyncProperty(id, states, fc.boolean(), async (id, [now, before = null], isDeleted) => {
        fc.pre(JSON.stringify(now) !== JSON.stringify(before))
        const kind = before ? 'updated' : isDeleted ? 'deleted' : 'created'
        const { earlier, current } = await read(() => write({ kind, pet: { id, ...now }, before }))

        const compared = [now, ...(before ? [before] : [])].map(({ categoryId, status }) => ({
          categoryId,
          status,
        }))
        expect(earlier).toMatchObject({ kind, pet: { id, ...now }, states: compared })

        const keys = earlier?.states.map(({ nameKey }) => ({ nameKey })) ?? []
        const rowOf = ({ name, categoryId, status }: EarlierPet, index: number) => ({
          ...{ id, name, category_id: categoryId, status },
          ...keys[index],
        })
        expect(current).toEqual({
          kind,
          row: rowOf(now, 0),
          // Version 1.0 does not say what the name was.
          before: before && { ...rowOf(before, 1), name: isEarlier ? now.name : before.name },
        })
      }),
      { seed, numRuns: 100 },
    )
  })
})

describe('a server of this version that starts beside one of version 1.0', () => {
  const owner = 'test'
  const pets: readonly EarlierPet[] = [
    { name: 'Rex', categoryId: '7', status: 'available' },
    { name: 'Émile "\\" \u{1f408}', categoryId: '-9223372036854775808', status: null },
    // Its event takes several notifications.
    { name: 'x'.repeat(5_000), categoryId: '9223372036854775807', status: 'sold' },
  ]
  const byId = (a: StoredPet, b: StoredPet) => Number(a.id) - Number(b.id)
  const FIELDS = 'id name categoryId status'

  /** What a server does, whichever version it has. */
  type Writer = Pick<EarlierServer, 'create' | 'createOnce' | 'update' | 'delete'>
  type Event = Pick<EarlierEvent, 'kind' | 'pet'>

  /** Starts a server of this version, which migrates. */
  async function start() {
    const url = await startProgram({ ...database.env, API_KEYS: `${owner}:${KEY}` }).ready
    const client = createClient(url, KEY)
    /** @returns the field `done`, or the code of the error */
    const tryTo = async (query: string, variables = {}) => {
      const { data, errors } = await client.graphql(query, variables)
      return errors ? String(errors[0]?.extensions.code) : data?.done
    }
    const run = async (query: string, variables = {}) => {
      const done = await tryTo(query, variables)
      expect(done).toBeTypeOf('object')
      return done
    }
    const createPet = `mutation ($input: NewPet!, $key: String) { done: createPet(input: $input, idempotencyKey: $key) { ${FIELDS} } }`
    const updatePet = `mutation ($id: ID!, $input: PetChanges!) { done: updatePet(id: $id, input: $input) { ${FIELDS} } }`
    const writer: Writer = {
      create: async (input) => (await run(createPet, { input })) as StoredPet,
      createOnce: async (input, _, key) => (await tryTo(createPet, { input, key })) as StoredPet | string,
      update: async (id, input) => (await run(updatePet, { id, input })) as StoredPet,
      delete: (id) => client.deletePet(id),
    }
    return {
      ...writer,
      list: () =>
        run(
          `{ done: pets(first: 100, orderBy: { field: ID, direction: ASC }) { nodes { ${FIELDS} } } }`,
        ) as Promise<{ nodes: StoredPet[] }>,
      /** Every event from now on. */
      subscribe: () => subscribe(url, KEY, `subscription { petChanged { kind pet { ${FIELDS} } } }`),
    }
  }

  /** Creates, updates and deletes pets, each before the next. @param events gets what subscribers have to be told */
  async function write(writer: Writer, events: Event[]): Promise<void> {
    for (const [index, pet] of pets.entries()) {
      const created = await writer.create(pet)
      events.push({ kind: 'created', pet: created })
      const updated = await writer.update(created.id, pets[index + 1] ?? { ...pet, status: null })
      events.push({ kind: 'updated', pet: updated })
      await writer.delete(created.id)
      events.push({ kind: 'deleted', pet: updated })
    }
  }

  /** The events of a stream, up to that of a pet with a name. */
  async function readUntil(stream: EventStream, name: string): Promise<Event[]> {
    const found: Event[] = []
    while (found.at(-1)?.pet.name !== name) {
      const { data } = (await stream.next()) as { data: { petChanged: Event } }
      found.push(data.petChanged)
    }
    return found
  }

  it('gets every event that version 1.0 gets, in the same order, and no subscription ends', async () => {
    await migrateTo(RELEASED, sql)
    const connection = database.connect()
    onTestFinished(() => connection.end())
    const earlier = createEarlierServer(connection)
    const seen: Event[] = []
    const read = createEarlierReader(
      ({ kind, pet }) => seen.push({ kind, pet }),
      () => expect.unreachable('the subscriptions of version 1.0 end'),
    )
    await sql.listen('pet_changes', read)
    const ofEarlier: Event[] = []
    const stopping = new AbortController()
    const writing = (async () => {
      while (!stopping.signal.aborted) await write(earlier, ofEarlier)
    })()
    const current = await start()
    const stream = await current.subscribe()
    onTestFinished(() => stream.abort())
    // Meanwhile, since the subscription of a client that does not read ends.
    const reading = readUntil(stream, 'last')
    reading.catch(() => undefined)
    const ofCurrent: Event[] = []
    await write(current, ofCurrent)
    stopping.abort()
    await writing
    const last = {
      kind: 'created',
      pet: await current.create({ name: 'last', categoryId: '1', status: null }),
    }

    const found = await reading
    await eventually(() => expect(seen.at(-1)).toEqual(last))
    expect(found).toEqual(seen.slice(-found.length))
    const ids = new Set(ofCurrent.map(({ pet }) => pet.id))
    const others = seen.filter(({ pet }) => pet.name !== 'last')
    expect(others.filter(({ pet }) => ids.has(pet.id))).toEqual(ofCurrent)
    expect(others.filter(({ pet }) => !ids.has(pet.id))).toEqual(ofEarlier)
  })

  it('repeats what an idempotency key of the other has created, as the other does, and both read all pets', async () => {
    await migrateTo(RELEASED, sql)
    const earlier = createEarlierServer(sql)
    const createAll = (writer: Writer, when: string) =>
      Promise.all(pets.map((pet, index) => writer.createOnce(pet, owner, `${when}-${index}`)))
    const before = await createAll(earlier, 'before')
    const current = await start()
    const after = await createAll(earlier, 'after')
    const own = await createAll(current, 'own')
    const other: EarlierPet = { name: 'Max', categoryId: '7', status: 'available' }
    for (const writer of [earlier, current]) {
      expect(await createAll(writer, 'before')).toEqual(before)
      expect(await createAll(writer, 'after')).toEqual(after)
      expect(await createAll(writer, 'own')).toEqual(own)
      for (const key of ['before-0', 'after-0', 'own-0'])
        expect(await writer.createOnce(other, owner, key)).toBe('IDEMPOTENCY_KEY_REUSED')
    }
    const created = [...before, ...after, ...own] as StoredPet[]
    const found = await earlier.find(created.map(({ id }) => id))
    expect(found.sort(byId)).toEqual(created.sort(byId))
    expect(await current.list()).toEqual({ nodes: created })
  })
})
