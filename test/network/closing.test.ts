/** After close(), nothing starts, no timer stays, and every call fails at once or does nothing. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseReadUrls } from '../../src/config/database-config.ts'
import { Announcer } from '../../src/db/events/citus-announcer.ts'
import { EmbeddedDatabase } from '../../src/db/embedded/embedded-database.ts'
import { PostgresDatabase } from '../../src/db/external/postgres-database.ts'
import { DedicatedConnection } from '../../src/db/postgres/connections/dedicated-connection.ts'
import { Hosts } from '../../src/db/postgres/connections/hosts.ts'
import { Pool } from '../../src/db/postgres/pool/pool.ts'
import type { Statement, TextRow } from '../../src/db/postgres/statement.ts'
import type { Database } from '../../src/db/database.ts'
import { Standbys } from '../../src/db/standbys/standbys.ts'
import { ServiceError } from '../../src/base/service-error.ts'
import { ApiKeyStore } from '../../src/keys/api-key-store.ts'
import { eventSources } from '../../src/server/resources.ts'
import { toAddresses, toConfig, toHosts } from '../support/address.ts'
import { createFakeDatabase } from '../unit/support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { listenOnLoopback } from '../support/free-port.ts'

/** Connections and statements since it was last set to 0. */
let started = 0
let servers: Server[]
let port: number
const path = join(useDirectory(), 'socket')
/** A Postgres that accepts connections, and never answers; the second one listens on a Unix socket. */
beforeAll(async () => {
  servers = [1, 2].map(() =>
    createServer((socket) => {
      started += 1
      socket.resume().on('error', () => undefined)
    }),
  )
  const [first = expect.unreachable(), second = expect.unreachable()] = servers
  port = await listenOnLoopback(first)
  await once(second.listen(path), 'listening')
})
afterAll(() => servers.forEach((server) => void server.close()))
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] }),
)
afterEach(() => void vi.useRealTimers())

const statement: Statement = { name: 'ask', text: 'select', parameters: [], prepare: false }
const url = () => `postgres://user@127.0.0.1:${port}/pets`
const oneHost = () => toHosts(url())
const twoHosts = () => toAddresses(`postgres://user@127.0.0.1:${port},localhost:${port}/pets`)
const ignore = () => undefined

/** A database whose statements are never answered, or fail. */
function createDatabase(query: () => Promise<TextRow[]> = () => new Promise(ignore)) {
  return Object.assign(createFakeDatabase(), {
    query: () => {
      started += 1
      return query()
    },
  })
}

interface Closable {
  close: () => unknown
  /** What callers do, before and after it is closed. */
  calls: (() => unknown)[]
  /** What they do only before. */
  starts?: (() => unknown)[]
}

const table: Record<string, () => Closable> = {
  Pool() {
    const pool = new Pool(oneHost(), { size: 1 })
    return { close: () => pool.close(), calls: [() => pool.query(statement), () => pool.query(statement)] }
  },
  DedicatedConnection() {
    const connection = new DedicatedConnection(oneHost())
    return { close: () => connection[Symbol.asyncDispose](), calls: [() => connection.query(statement)] }
  },
  Standbys() {
    const polls = new Pool(oneHost(), { size: 1 })
    const standbys = new Standbys(parseReadUrls(url()), {
      primary: createFakeDatabase(),
      polls,
      connect: ({ address }) => new Pool(new Hosts([address]), { size: 1 }),
    })
    const target = standbys.all[0] ?? expect.unreachable()
    const query = () => target.query(statement)
    const close = () => Promise.all([standbys.close(), polls.close()])
    return { close, starts: [() => standbys.start(null), query], calls: [query] }
  },
  Announcer() {
    const announcer = new Announcer(
      createDatabase(() => Promise.reject(new ServiceError('TIMEOUT'))),
      ['pets'],
    )
    return { close: () => announcer.close(), calls: [() => announcer.reset()] }
  },
  ApiKeyStore() {
    const store = new ApiKeyStore(createDatabase(() => Promise.resolve([])))
    return { close: () => store.close(), calls: [() => store.start(ignore)] }
  },
  'ApiKeyStore, without a database'() {
    const store = new ApiKeyStore(createDatabase(() => Promise.reject(new ServiceError('TIMEOUT'))))
    return { close: () => store.close(), calls: [() => store.start(ignore)] }
  },
  'PostgresDatabase, while it migrates'() {
    return ofDatabase(new PostgresDatabase(toConfig(url()), eventSources, { migrates: true }))
  },
  'PostgresDatabase with several hosts'() {
    const hosts = { hosts: twoHosts(), directHosts: toAddresses(url()) }
    const config = { ...toConfig(url()), ...hosts }
    return ofDatabase(new PostgresDatabase(config, eventSources, { migrates: true }))
  },
  'EmbeddedDatabase, which is not open'() {
    const database = new EmbeddedDatabase(
      {
        isNew: false,
        address: Promise.resolve(path),
        failed: new Promise(ignore),
        findDiskProblem: () => Promise.resolve(null),
        cancelStart: ignore,
        close: () => Promise.resolve(),
      },
      eventSources,
    )
    const { close, calls } = ofDatabase(database)
    return { close, calls, starts: [() => database.connect()] }
  },
}

function ofDatabase(database: Database): Closable {
  const query = async () => (await database.connect()).query(statement)
  const subscribe = () => database.events.subscribe('ann', () => true)
  return {
    close: () => database.close(),
    calls: [() => database.open(null), () => database.query(statement), query, subscribe],
  }
}

/** Ends what a call has begun, without letting a timer fire. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
}

describe.each(Object.entries(table))('closing: %s', (_, create) => {
  it.each([
    ['in use', true],
    ['never used', false],
  ])('close() while it is %s: nothing is started afterwards, and no timer is left', async (_, isUsed) => {
    const { close, calls, starts = calls } = create()
    const outcomes = isUsed ? starts.map((call) => Promise.try(call)) : []
    for (const outcome of outcomes) outcome.catch(ignore)
    await settle()
    const closing = Promise.try(close)
    await settle()
    // What a close waits for at most, and then a socket whose peer stays.
    await vi.advanceTimersByTimeAsync(2_000)
    await closing
    await settle()
    expect(vi.getTimerCount()).toBe(0)

    started = 0
    const settled = vi.fn()
    for (const call of calls) Promise.try(call).then(settled, settled)
    await settle()
    expect(settled).toHaveBeenCalledTimes(calls.length)
    expect(vi.getTimerCount()).toBe(0)
    expect(started).toBe(0)
  })
})
