import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { digestOf } from '../../../src/keys/api-key.ts'
import type { Database } from '../../../src/db/database.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'
import { catalogue } from '../../../src/base/error-catalogue.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { ApiKeyStore } from '../../../src/keys/api-key-store.ts'
import { createKeySecret } from '../../../src/keys/key-secret.ts'
import { createFakeDatabase } from '../support/database.ts'

const start = new Date('2026-11-22T10:00:00Z')
beforeEach(() => {
  vi.useFakeTimers({ now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const [ann, bob, carol] = [createKeySecret(), createKeySecret(), createKeySecret()]
const rowOf = (key: typeof ann, name: string, scope: string, expires: string | null = null): TextRow => [
  name,
  scope,
  key.digest,
  expires,
]

/** A store, and the rows of its table. */
function createStore(...rows: TextRow[]) {
  const table = { rows, error: null as Error | null }
  /** The database's clock, which is right, whatever the server's says. */
  const begin = performance.now()
  const now = () => start.getTime() + performance.now() - begin
  const answer = ({ name }: Statement): TextRow[] => {
    if (table.error) throw table.error
    if (name !== 'select api_keys') return []
    return table.rows.map(([name = null, scope = null, digest = null, expires]) => [
      name,
      scope,
      digest,
      expires == null ? null : String(Date.parse(expires) - now()),
    ])
  }
  const database = createFakeDatabase(answer)
  const store = new ApiKeyStore(database)
  const observe = vi.fn()
  return {
    table,
    database,
    store,
    observe,
    start: () => store.start(observe),
    find: async ({ secret }: { secret: string }) => store.find(digestOf(secret), secret),
    recordings: () => database.statements.filter(({ name }) => name === 'update api_keys'),
  }
}

const subscribeAs = ({ events }: Database, ...names: string[]) =>
  Promise.all(names.map(async (name) => (await events.subscribe(name, () => true)).read()))

/** Milliseconds within which a change must take effect. */
const SOON = 1_000

describe('a key', () => {
  it('is found by its secret, with its name and scope only, and costs no statement', async () => {
    const { database, start, find } = createStore(rowOf(ann, 'ann', 'write'), rowOf(bob, 'bob', 'read'))
    await start()
    expect(await find(ann)).toMatchObject({ name: 'ann', scope: 'write' })
    expect(await find(bob)).toMatchObject({ name: 'bob', scope: 'read' })
    expect(await find(createKeySecret())).toBeNull()
    expect(database.statements.map(({ name }) => name)).toEqual(['select api_keys'])
  })

  it('that expires is unknown at once, without a read', async () => {
    const { database, start, find } = createStore(rowOf(ann, 'ann', 'write', '2026-11-22T10:00:00.400Z'))
    await start()
    vi.advanceTimersByTime(399)
    expect(await find(ann)).not.toBeNull()
    vi.advanceTimersByTime(1)
    expect(await find(ann)).toBeNull()
    expect(database.statements).toHaveLength(1)
  })

  it.each(['2026-11-21T10:00:00Z', '2026-11-23T10:00:00Z'])(
    'expires by the clock of the database, although that of the server is set to %s',
    async (time) => {
      const { database, start, find } = createStore(rowOf(ann, 'ann', 'write', '2026-11-22T10:01:00Z'))
      await start()
      await subscribeAs(database, 'ann')
      vi.setSystemTime(time)
      await vi.advanceTimersByTimeAsync(60_000 - SOON)
      expect(await find(ann)).not.toBeNull()
      expect(database.events.size).toBe(1)
      await vi.advanceTimersByTimeAsync(SOON)
      expect(await find(ann)).toBeNull()
      expect(database.events.size).toBe(0)
    },
  )

  it.each([
    ['is still there', rowOf(ann, 'ann', 'write'), true, 1],
    ['is gone', null, false, 0],
    ['belongs to another name', rowOf(ann, 'bob', 'write'), false, 0],
    ['has another scope', rowOf(ann, 'ann', 'read'), false, 1],
  ])('that %s is valid for a request in flight, or not', async (_, now, isValid, subscriptions) => {
    const { table, database, start, find } = createStore(rowOf(ann, 'ann', 'write'))
    await start()
    const key = await find(ann)
    await subscribeAs(database, 'ann')
    table.rows = now ? [now] : []
    await vi.advanceTimersByTimeAsync(SOON)
    expect(key?.isValid).toBe(isValid)
    expect(database.events.size).toBe(subscriptions)
  })

  it('that was created, revoked or rotated has changed after the next read, also for requests in flight', async () => {
    const { table, start, find } = createStore(rowOf(ann, 'ann', 'write'), rowOf(bob, 'bob', 'read'))
    await start()
    const keys = [await find(ann), await find(bob)]
    table.rows = [rowOf(bob, 'bob', 'read', '2026-11-22T10:00:03Z'), rowOf(carol, 'carol', 'write')]
    expect(await find(carol)).toBeNull()
    await vi.advanceTimersByTimeAsync(SOON)
    expect([await find(ann), await find(carol)]).toMatchObject([null, { name: 'carol', scope: 'write' }])
    expect(keys.map((key) => key?.isValid)).toEqual([false, true])
    vi.advanceTimersByTime(2_000)
    expect(keys[1]?.isValid).toBe(false)
  })
})

describe('before the keys have been loaded', () => {
  it('a secret that may be valid gets 503, and one that cannot be is unknown', async () => {
    const { find } = createStore()
    await expect(find(ann)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', status: 503 })
    expect(await find({ secret: `${ann.secret.slice(0, -1)}_` })).toBeNull()
    expect(await find({ secret: 'a-secret-of-the-tests' })).toBeNull()
  })

  it('a failed first read does not end the server: the next one loads them', async () => {
    const { table, observe, start, find } = createStore(rowOf(ann, 'ann', 'write'))
    table.error = new ServiceError('TIMEOUT', undefined, { cause: '57014' })
    await start()
    await expect(find(ann)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    expect(observe).toHaveBeenCalledWith({ type: 'keys lost', cause: '57014' })
    table.error = null
    await vi.advanceTimersByTimeAsync(SOON)
    expect(await find(ann)).toMatchObject({ name: 'ann', scope: 'write' })
  })
})

describe('while the database cannot be reached', () => {
  it('the keys read last stay valid, and the problem is reported once', async () => {
    const { table, observe, start, find } = createStore(rowOf(ann, 'ann', 'write'))
    await start()
    table.error = new ServiceError('DATABASE_UNAVAILABLE')
    await vi.advanceTimersByTimeAsync(5 * SOON)
    expect(await find(ann)).toMatchObject({ name: 'ann', scope: 'write' })
    const lost = { type: 'keys lost', cause: catalogue.DATABASE_UNAVAILABLE.message }
    expect(observe.mock.calls).toEqual([[lost]])

    table.error = null
    await vi.advanceTimersByTimeAsync(SOON)
    expect(observe.mock.calls).toEqual([[lost], [{ type: 'keys back', seconds: 5 }]])
    table.error = new ServiceError('DATABASE_UNAVAILABLE')
    await vi.advanceTimersByTimeAsync(SOON)
    expect(observe.mock.calls.slice(2)).toEqual([[lost]])
  })
})

it('a read waits for the one before it', async () => {
  const { database, store, observe } = createStore()
  const { promise, resolve } = Promise.withResolvers<TextRow[]>()
  const query = vi.spyOn(database, 'query').mockReturnValue(promise)
  const started = store.start(observe)
  await vi.advanceTimersByTimeAsync(10 * SOON)
  expect(query).toHaveBeenCalledOnce()
  resolve([])
  await started
  await vi.advanceTimersByTimeAsync(SOON)
  expect(query).toHaveBeenCalledTimes(2)
})

it('when a key ends, the subscriptions of its name end, and no others', async () => {
  const { table, database, start } = createStore(rowOf(ann, 'ann', 'write'), rowOf(bob, 'bob', 'read'))
  await start()
  const [ofAnn] = await subscribeAs(database, 'ann', 'bob')
  table.rows = [rowOf(bob, 'bob', 'read')]
  await vi.advanceTimersByTimeAsync(SOON)
  expect(await ofAnn?.next()).toEqual({ done: true, value: undefined })
  expect(database.events.size).toBe(1)
})

it('while the database cannot be reached, the subscriptions of a key that expires end', async () => {
  const { table, database, start } = createStore(rowOf(ann, 'ann', 'write', '2026-11-22T10:00:04Z'))
  await start()
  const [stream] = await subscribeAs(database, 'ann')
  table.error = new ServiceError('DATABASE_UNAVAILABLE')
  await vi.advanceTimersByTimeAsync(4_000 + SOON)
  expect(await stream?.next()).toEqual({ done: true, value: undefined })
})

describe('the last use', () => {
  it('is written once a minute, for all keys in one statement', async () => {
    const { start, find, recordings } = createStore(rowOf(ann, 'ann', 'write'), rowOf(bob, 'bob', 'read'))
    await start()
    for (const key of [ann, bob, ann]) {
      await vi.advanceTimersByTimeAsync(10_000)
      await find(key)
    }
    expect(recordings()).toEqual([])
    await vi.advanceTimersByTimeAsync(30_000)
    const times = '{"2026-11-22T10:00:30.000Z","2026-11-22T10:00:20.000Z"}'
    expect(recordings().map(({ parameters }) => parameters)).toEqual([[`{"${ann.id}","${bob.id}"}`, times]])

    await vi.advanceTimersByTimeAsync(60_000)
    expect(recordings()).toHaveLength(1)
  })

  it('is written next time after a failure, with the later time of each key', async () => {
    const { database, start, find, recordings } = createStore(
      rowOf(ann, 'ann', 'write'),
      rowOf(bob, 'bob', 'read'),
    )
    await start()
    await find(ann)
    await find(bob)
    const { promise, reject } = Promise.withResolvers<TextRow[]>()
    const query = vi.spyOn(database, 'query').mockReturnValue(promise)
    await vi.advanceTimersByTimeAsync(60_000)
    // While it is being written.
    await find(bob)
    query.mockRestore()
    reject(new ServiceError('DATABASE_UNAVAILABLE'))
    await vi.advanceTimersByTimeAsync(60_000)
    const times = '{"2026-11-22T10:00:00.000Z","2026-11-22T10:01:00.000Z"}'
    expect(recordings().map(({ parameters }) => parameters)).toEqual([[`{"${ann.id}","${bob.id}"}`, times]])
  })

  it('is written when the server stops, and no more reads follow', async () => {
    const { store, database, start, find, recordings } = createStore(rowOf(ann, 'ann', 'write'))
    await start()
    await find(ann)
    await store.close()
    expect(recordings()).toHaveLength(1)
    const { length } = database.statements
    await vi.advanceTimersByTimeAsync(120_000)
    expect(database.statements).toHaveLength(length)
  })

  it('is given up after a second if the database does not answer', async () => {
    const { store, database, start, find } = createStore(rowOf(ann, 'ann', 'write'))
    await start()
    await find(ann)
    const query = vi.spyOn(database, 'query').mockReturnValue(new Promise(() => undefined))
    const closed = vi.fn()
    void store.close().then(closed)
    await vi.advanceTimersByTimeAsync(999)
    expect(query).toHaveBeenCalledOnce()
    expect(closed).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2)
    expect(closed).toHaveBeenCalledOnce()
  })
})

it('a store that was closed before it was started stays closed', async () => {
  const { store, database, start } = createStore()
  await store.close()
  await start()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(database.statements).toEqual([])
})
