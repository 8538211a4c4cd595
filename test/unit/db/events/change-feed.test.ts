import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ChangeFeed } from '../../../../src/db/events/change-feed.ts'
import type { RowEvent } from '../../../../src/db/events/row-event.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { eventually } from '../../../support/eventually.ts'
import { createPetEvent } from '../../support/pet-event.ts'

const all = () => true
const createFeed = () => new ChangeFeed(async () => undefined)

/** Publishes events with the ids from `first` to `last`. */
function publish(feed: ChangeFeed, first: number, last: number): void {
  for (let id = first; id <= last; id += 1) feed.publish(createPetEvent(id))
}

/** The id of the row of the next event; null if the subscription has ended. */
async function readId(subscription: AsyncIterator<RowEvent>): Promise<string | null> {
  const result = await subscription.next()
  return result.done ? null : String(result.value.row.id)
}

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('the connection that listens', () => {
  it('is opened for the first subscriber, and again for the next one after it was lost', async () => {
    const listen = vi.fn(async () => undefined)
    const feed = new ChangeFeed(listen)
    expect(listen).not.toHaveBeenCalled()
    const subscriptions = await Promise.all([feed.subscribe('client', all), feed.subscribe('client', all)])
    expect(listen).toHaveBeenCalledOnce()
    const reads = subscriptions.map((subscription) => subscription.next())
    feed.endAll()
    expect(await Promise.all(reads)).toEqual([{ done: true }, { done: true }])
    await feed.subscribe('client', all)
    expect(listen).toHaveBeenCalledTimes(2)
  })

  it('is tried again for the next subscriber if it could not be opened, and the error is passed on', async () => {
    const listen = vi.fn(async () => undefined)
    listen.mockRejectedValueOnce(new ServiceError('DATABASE_UNAVAILABLE'))
    const feed = new ChangeFeed(listen)
    await expect(feed.subscribe('client', all)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await feed.subscribe('client', all)
    expect(feed.size).toBe(1)
  })

  it('rejects a subscriber if it is lost while the subscriber waits for it', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const feed = new ChangeFeed(() => promise)
    const subscribing = feed.subscribe('client', all)
    feed.endAll()
    resolve(undefined)
    await expect(subscribing).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    expect(feed.size).toBe(0)
  })

  it('stays unchanged when an older attempt fails late', async () => {
    const first = Promise.withResolvers<undefined>()
    const listen = vi.fn(async () => undefined).mockReturnValueOnce(first.promise)
    const feed = new ChangeFeed(listen)
    const failing = feed.subscribe('client', all)
    feed.endAll()
    await feed.subscribe('client', all)
    first.reject(new ServiceError('DATABASE_UNAVAILABLE'))
    await expect(failing).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await feed.subscribe('client', all)
    expect(listen).toHaveBeenCalledTimes(2)
  })
})

describe('events', () => {
  it('reach a waiting subscriber in order, if they match', async () => {
    const feed = createFeed()
    const subscription = await feed.subscribe('client', ({ row }) => Number(row.id) % 2 === 0)
    const reads = [subscription.next(), subscription.next()]
    publish(feed, 1, 4)
    expect(await Promise.all(reads)).toMatchObject([
      { done: false, value: { row: { id: '2' } } },
      { done: false, value: { row: { id: '4' } } },
    ])
  })

  it('reach a subscriber only if they were published after it subscribed', async () => {
    const feed = createFeed()
    publish(feed, 1, 1)
    const subscription = await feed.subscribe('client', all)
    publish(feed, 2, 2)
    expect(await readId(subscription)).toBe('2')
  })

  it('keep the process busy only until they are delivered', async () => {
    // Other test files in this process may call setImmediate, too.
    const callers: string[] = []
    const schedule = globalThis.setImmediate
    vi.spyOn(globalThis, 'setImmediate').mockImplementation((callback: () => void) => {
      callers.push(String(new Error().stack))
      return schedule(callback)
    })
    const feed = createFeed()
    const subscription = await feed.subscribe('client', all)
    publish(feed, 1, 1)
    await subscription.next()
    for (let turn = 0; turn < 3; turn += 1) await setImmediate()
    expect(callers.filter((stack) => stack.includes('/change-feed.ts'))).toHaveLength(1)
  })

  it.each([0, 1])(
    'are no longer delivered %i turns after the feed has ended its subscriptions',
    async (turns) => {
      const feed = createFeed()
      // More than can be delivered in one turn.
      for (let number = 0; number < 101; number += 1) await feed.subscribe('client', all)
      publish(feed, 1, 3)
      for (let turn = 0; turn < turns; turn += 1) await setImmediate()
      feed.endAll()
      const next = await feed.subscribe('client', all)
      publish(feed, 4, 4)
      expect(await readId(next)).toBe('4')
    },
  )
})

describe('a subscription', () => {
  it('ends when its reader leaves, and receives no more events', async () => {
    const feed = createFeed()
    const subscription = await feed.subscribe('client', all)
    const read = subscription.next()
    expect(await subscription.return?.()).toEqual({ done: true, value: undefined })
    expect(await read).toEqual({ done: true })
    expect(feed.size).toBe(0)
    expect(await subscription.next()).toEqual({ done: true })
  })

  it('ends when the feed is closed, which then accepts no new ones', async () => {
    const feed = createFeed()
    const subscription = await feed.subscribe('client', all)
    feed.close()
    expect(await readId(subscription)).toBeNull()
    await expect(feed.subscribe('client', all)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
  })
})

describe('limits', () => {
  it('256 events wait for a slow subscriber, whose subscription ends at the next one, and others continue', async () => {
    const feed = createFeed()
    const [slow, slower] = [await feed.subscribe('client', all), await feed.subscribe('client', all)]
    const other = await feed.subscribe('client', ({ row }) => row.id === '257')
    publish(feed, 1, 256)
    for (let turn = 0; turn < 6; turn += 1) await setImmediate()
    expect(feed.size).toBe(3)
    expect(await readId(slow)).toBe('1')
    publish(feed, 257, 257)
    expect(await readId(other)).toBe('257')
    expect(feed.size).toBe(2)
    for (const id of numbers(2, 257)) expect(await readId(slow)).toBe(String(id))
    expect(await readId(slower)).toBeNull()
  })

  it.each([
    { name: '100 deliveries of one subscriber', subscribers: 1, events: 101, isWanted: true, first: 100 },
    { name: '100 deliveries of an event', subscribers: 101, events: 1, isWanted: true, first: 100 },
    {
      name: '10,000 events that are not wanted',
      subscribers: 101,
      events: 100,
      isWanted: false,
      first: 10_000,
    },
  ])(
    'in one turn of the event loop there are at most $name',
    async ({ subscribers, events, isWanted, first }) => {
      const feed = createFeed()
      let offers = 0
      const matches = () => {
        offers += 1
        return isWanted
      }
      for (let number = 0; number < subscribers; number += 1) await feed.subscribe('client', matches)
      publish(feed, 1, events)
      await setImmediate()
      expect(offers).toBe(first)
      await setImmediate()
      expect(offers).toBe(subscribers * events)
    },
  )

  it('beyond 32 Mi characters of unread events, the subscriptions with most of them end', async () => {
    const feed = createFeed()
    const name = 'x'.repeat(2 ** 19)
    const subscribeTo = (key: string) => feed.subscribe('client', ({ row }) => row.name_key === key)
    const [slow, slower, slowest] = [
      await subscribeTo('a'),
      await subscribeTo('b'),
      await feed.subscribe('client', all),
    ]
    const publishLarge = async (nameKey: string, first: number, last: number) => {
      for (let id = first; id <= last; id += 1) {
        const { row, ...event } = createPetEvent(id, name)
        feed.publish({ ...event, row: { ...row, name_key: nameKey } })
        await setImmediate()
      }
    }
    await publishLarge('a', 1, 30)
    await publishLarge('b', 31, 63)
    // Each event counts once, although two subscriptions have yet to read it.
    expect(feed.size).toBe(3)
    await publishLarge('b', 64, 64)
    expect(await Promise.all([slowest, slower].map(readId))).toEqual([null, null])
    for (const id of numbers(1, 30)) expect(await readId(slow)).toBe(String(id))
    // What has been read, or belonged to those that ended, no longer counts.
    await publishLarge('a', 65, 120)
    expect(await readId(slow)).toBe('65')
  })

  it('all subscriptions end beyond 32 Mi characters that wait for delivery', async () => {
    const feed = createFeed()
    await feed.subscribe('client', all)
    const name = 'x'.repeat(2 ** 19)
    for (let id = 1; id <= 31; id += 1) feed.publish(createPetEvent(id, name))
    expect(feed.size).toBe(1)
    feed.publish(createPetEvent(32, name))
    feed.publish(createPetEvent(33, name))
    expect(feed.size).toBe(0)
  })

  it('all subscriptions end if an event has waited for delivery for more than 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const feed = createFeed()
    await feed.subscribe('client', all)
    publish(feed, 1, 1)
    vi.advanceTimersByTime(30_000)
    publish(feed, 2, 2)
    expect(feed.size).toBe(1)
    vi.advanceTimersByTime(1)
    publish(feed, 3, 3)
    expect(feed.size).toBe(0)
  })

  it('10,000 events wait for delivery, also to one that keeps reading; at one more, all subscriptions end', async () => {
    const feed = createFeed()
    const subscription = await feed.subscribe('client', all)
    publish(feed, 1, 10_000)
    for (const id of numbers(1, 10_000)) expect(await readId(subscription)).toBe(String(id))
    const full = createFeed()
    const read = (await full.subscribe('client', () => false)).next()
    publish(full, 1, 10_001)
    expect(await read).toEqual({ done: true })
    expect(full.size).toBe(0)
  })

  const tooMany = { code: 'RATE_LIMITED', message: expect.stringContaining('1000 subscriptions') as string }
  /** Keys with 1,000 subscriptions each fill the feed. */
  const manyKeys = (number: number) => `key ${Math.ceil(number / 1_000)}`

  describe.each([
    { most: 10_000, keyOf: manyKeys, next: 'another', rejection: { code: 'OVERLOADED' } },
    { most: 1_000, keyOf: () => 'client', next: 'client', rejection: tooMany },
  ])('there are $most subscriptions at most', ({ most, keyOf, next, rejection }) => {
    const fill = (feed: ChangeFeed) =>
      Promise.all(numbers(1, most).map((number) => feed.subscribe(keyOf(number), () => false)))

    it('until one leaves, however often it says so, or all are ended', async () => {
      const feed = createFeed()
      const [first] = await fill(feed)
      await expect(feed.subscribe(next, all)).rejects.toMatchObject(rejection)
      for (let time = 0; time < 2; time += 1) await first?.return?.()
      await feed.subscribe(next, all)
      await expect(feed.subscribe(next, all)).rejects.toMatchObject(rejection)
      feed.endAll()
      await fill(feed)
      expect(feed.size).toBe(most)
    })

    it('also while they wait for the connection together', async () => {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const feed = new ChangeFeed(() => promise)
      const subscribing = Promise.allSettled([
        ...numbers(1, most).map((number) => feed.subscribe(keyOf(number), all)),
        ...[1, 2].map(() => feed.subscribe(next, all)),
      ])
      resolve(undefined)
      const rejected = (await subscribing).filter(({ status }) => status === 'rejected')
      expect(rejected).toMatchObject([{ reason: rejection }, { reason: rejection }])
      expect(feed.size).toBe(most)
    })
  })

  it('those of one key do not count for another, and make room when one is ended because it is slow', async () => {
    const feed = createFeed()
    await feed.subscribe('client', all)
    await Promise.all(numbers(2, 1_000).map(() => feed.subscribe('client', () => false)))
    const other = await feed.subscribe('another', all)
    publish(feed, 1, 257)
    for (const id of numbers(1, 257)) expect(await readId(other)).toBe(String(id))
    await eventually(() => expect(feed.size).toBe(1_000))
    await feed.subscribe('client', all)
    expect(feed.size).toBe(1_001)
  })
})
