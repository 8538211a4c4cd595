/** When it listens, and what ends that, with a scripted connection; test/service/db/events has real ones. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { EventListener } from '../../../../src/db/events/event-listener.ts'
import type { Statement } from '../../../../src/db/postgres/statement.ts'

const lost = () => new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: 'lost' })

/** A connection of the listener, which the test can lose. */
class ScriptedConnection {
  readonly statements: string[] = []
  readonly #closed = Promise.withResolvers<never>()
  readonly #onClosed: () => void
  readonly notify: (channel: string, payload: string) => void
  #isDestroyed = false

  constructor(onClosed: () => void, onnotify: (channel: string, payload: string) => void) {
    this.#onClosed = onClosed
    this.notify = onnotify
    this.#closed.promise.catch(() => undefined)
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  run({ name, text }: Statement): Promise<[]> {
    this.statements.push(name)
    if (text.startsWith('listen "')) probe = text.slice('listen "'.length, -1)
    if (this.#isDestroyed || name === silent) return this.#closed.promise
    const answered = Promise.resolve<[]>([])
    if (name === 'listen' && !text.startsWith('listen')) onListening()
    return answered
  }

  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#closed.reject(lost())
    this.#onClosed()
  }
}

let connections: ScriptedConnection[]
/** The channel on which the listener waits for a notification of its own. */
let probe: string
/** Whether a notification arrives. */
let arrives: boolean
/** The name of the statement that is never answered. */
let silent: string
/** Called when the statement that listens to events has been answered. */
let onListening: () => void
/** Where the connection of the listener leads; where the others do: undefined if that is not known. */
let place: string
let primaryPlace: string | undefined
let listener: EventListener
const feed = { receive: vi.fn(), endAll: vi.fn() }

beforeEach(() => {
  vi.useFakeTimers()
  ;[connections, probe, arrives, silent, place, primaryPlace] = [[], '', true, '', 'here', 'here']
  onListening = () => undefined
  listener = new EventListener({
    connect: (...callbacks) => {
      const connection = new ScriptedConnection(...callbacks)
      connections.push(connection)
      return connection
    },
    tables: ['crates'],
    feed,
    places: {
      async askOver(target) {
        await target.query({ name: 'readState', text: 'select', parameters: [], prepare: false })
        return { place }
      },
      check: () =>
        primaryPlace === undefined ? Promise.reject(lost()) : Promise.resolve({ place: primaryPlace }),
    },
    primary: {
      async query() {
        if (arrives) connections.at(-1)?.notify(probe, '')
        return []
      },
    },
  })
})
afterEach(async () => {
  listener.disconnect()
  const countSent = () => connections.flatMap(({ statements }) => statements).length
  const before = countSent()
  await pass(10_000)
  expect(countSent(), 'statements, also after it has disconnected').toBe(before)
  vi.useRealTimers()
  vi.clearAllMocks()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
const connection = () => connections.at(-1) ?? expect.unreachable()
/** @returns why it does not listen; null: it does */
const listen = () =>
  listener.listen().then(
    () => null,
    (error: unknown) => String((error as ServiceError).cause),
  )

describe('listening', () => {
  it('begins once a notification has arrived; from then on, the feed receives them', async () => {
    expect(await listen()).toBeNull()
    expect(connection().statements).toEqual(['readState', 'listen', 'unlisten', 'listen'])
    expect(feed.receive).not.toHaveBeenCalled()
    connection().notify('pet_store_1', 'event')
    expect(feed.receive).toHaveBeenCalledExactlyOnceWith('event')
  })

  it('does not begin if no notification arrives', async () => {
    arrives = false
    const outcome = listen()
    await pass(2_100)
    expect(await outcome).toContain('is there a pooler')
    expect(connection().isDestroyed).toBe(true)
    expect(feed.endAll).not.toHaveBeenCalled()
  })

  it('does not begin if the connection is lost while it waits for a notification, and says that', async () => {
    arrives = false
    const outcome = listen()
    await pass(1_000)
    connection().destroy()
    await pass(1_100)
    expect(await outcome).toBe('lost')
    expect(feed.endAll).not.toHaveBeenCalled()
  })

  it('does not begin if its connection leads elsewhere than the others', async () => {
    place = 'elsewhere'
    expect(await listen()).toContain('leads to other tables')
    expect(connection().isDestroyed).toBe(true)
  })

  it.each(['readState', 'listen', 'unlisten'])(
    'does not begin if it is stopped while it waits for %s',
    async (name) => {
      silent = name
      const outcome = listen()
      await pass(0)
      listener.disconnect()
      expect(await outcome).toBe('lost')
      expect(feed.endAll).not.toHaveBeenCalled()
    },
  )

  it('does not begin if the connection is closed while the answer to LISTEN arrives', async () => {
    onListening = () => connection().destroy()
    expect(await listen()).not.toBeNull()
    expect(feed.endAll).not.toHaveBeenCalled()
  })

  it('begins anew on a connection of its own, also while an earlier attempt still waits', async () => {
    silent = 'readState'
    const first = listen()
    await pass(0)
    silent = ''
    expect(await listen()).toBeNull()
    expect(await first).toBe('lost')
    expect(connections.map(({ isDestroyed }) => isDestroyed)).toEqual([true, false])
    expect(feed.endAll).not.toHaveBeenCalled()
  })
})

describe('a listener', () => {
  beforeEach(async () => {
    await listen()
  })

  it('has a heartbeat every 3 seconds, also while it is not known where the events are sent', async () => {
    primaryPlace = undefined
    await pass(9_000)
    expect(connection().statements.filter((name) => name === 'heartbeat')).toHaveLength(3)
    expect(feed.endAll).not.toHaveBeenCalled()
  })

  it.each([
    ['is lost', async () => connection().destroy()],
    [
      'is lost during a heartbeat',
      async () => {
        silent = 'heartbeat'
        await pass(3_000)
        connection().destroy()
      },
    ],
    ['no longer leads where events are sent', async () => void (primaryPlace = 'elsewhere')],
  ])('whose connection %s ends all subscriptions, once', async (_, lose) => {
    await lose()
    await pass(10_000)
    expect(feed.endAll).toHaveBeenCalledOnce()
    expect(connection().isDestroyed).toBe(true)
  })

  it('that is stopped ends none', async () => {
    listener.disconnect()
    await pass(10_000)
    expect(connection().isDestroyed).toBe(true)
    expect(feed.endAll).not.toHaveBeenCalled()
  })
})
