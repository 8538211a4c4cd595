import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { EventFeed } from '../../../../src/db/events/event-feed.ts'
import type { RowEvent } from '../../../../src/db/events/event-notifications.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { eventSourceOf } from '../../../../src/resource/events.ts'
import { crateResource, createCrateEvent } from '../../../support/crates.ts'

const all = () => true
const createFeed = () => new EventFeed([eventSourceOf(crateResource)], async () => undefined)

/** Subscribes. `next` is the id of the row of the next event; null if the subscription has ended. */
async function watch(feed: EventFeed, matches: (event: RowEvent) => boolean = all, client = 'client') {
  const subscription = await feed.subscribe(client, matches)
  const events = subscription.read()
  return {
    end: () => subscription.end(),
    async next(): Promise<string | null> {
      const result = await events.next()
      return result.done ? null : String(result.value.row.id)
    },
  }
}

/** Publishes events with the ids from `first` to `last`. */
function publish(feed: EventFeed, first: number, last: number): void {
  for (let id = first; id <= last; id += 1) feed.publish(createCrateEvent(id))
}

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('the connection that listens', () => {
  it('is opened for the first subscriber, and again for the next one after it was lost', async () => {
    const listen = vi.fn(async () => undefined)
    const feed = new EventFeed([], listen)
    expect(listen).not.toHaveBeenCalled()
    const subscribers = await Promise.all([watch(feed), watch(feed)])
    expect(listen).toHaveBeenCalledOnce()
    const reads = subscribers.map((subscriber) => subscriber.next())
    feed.endAll()
    expect(await Promise.all(reads)).toEqual([null, null])
    await watch(feed)
    expect(listen).toHaveBeenCalledTimes(2)
  })

  it('is tried again for the next subscriber if it could not be opened, and the error is passed on', async () => {
    const listen = vi.fn(async () => undefined)
    listen.mockRejectedValueOnce(new ServiceError('DATABASE_UNAVAILABLE'))
    const feed = new EventFeed([], listen)
    await expect(watch(feed)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await watch(feed)
    expect(feed.size).toBe(1)
  })

  it('rejects a subscriber if it is lost while the subscriber waits for it', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const feed = new EventFeed([], () => promise)
    const subscribing = watch(feed)
    feed.endAll()
    resolve(undefined)
    await expect(subscribing).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    expect(feed.size).toBe(0)
  })

  it('stays unchanged when an older attempt fails late', async () => {
    const first = Promise.withResolvers<undefined>()
    const listen = vi.fn(async () => undefined).mockReturnValueOnce(first.promise)
    const feed = new EventFeed([], listen)
    const failing = watch(feed)
    feed.endAll()
    await watch(feed)
    first.reject(new ServiceError('DATABASE_UNAVAILABLE'))
    await expect(failing).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await watch(feed)
    expect(listen).toHaveBeenCalledTimes(2)
  })
})

describe('events', () => {
  it('reach a waiting subscriber in order, if they match', async () => {
    const feed = createFeed()
    const subscriber = await watch(feed, ({ row }) => Number(row.id) % 2 === 0)
    const reads = [subscriber.next(), subscriber.next()]
    publish(feed, 1, 4)
    expect(await Promise.all(reads)).toEqual(['2', '4'])
  })

  it('are read from notifications; a notification that is not an event ends all subscriptions', async () => {
    const feed = createFeed()
    const subscriber = await watch(feed)
    feed.receive(JSON.stringify(createCrateEvent(1)))
    expect(await subscriber.next()).toBe('1')
    feed.receive('reset')
    expect(await subscriber.next()).toBeNull()
    expect(feed.size).toBe(0)
  })

  it('reach a subscriber only if they were published after it subscribed', async () => {
    const feed = createFeed()
    const other = await watch(feed)
    publish(feed, 1, 1)
    await setImmediate()
    const subscriber = await watch(feed)
    publish(feed, 2, 2)
    expect(await subscriber.next()).toBe('2')
    expect([await other.next(), await other.next()]).toEqual(['1', '2'])
  })

  it.each([0, 1, 2])(
    'are no longer delivered %i turns after the feed has ended its subscriptions',
    async (turns) => {
      const feed = createFeed()
      // More than are delivered in one iteration.
      for (let number = 0; number < 101; number += 1) await watch(feed)
      publish(feed, 1, 3)
      for (let turn = 0; turn < turns; turn += 1) await setImmediate()
      feed.endAll()
      const next = await watch(feed)
      publish(feed, 4, 4)
      expect(await next.next()).toBe('4')
    },
  )
})

describe('a subscription', () => {
  it('ends when its reader stops reading, and receives no more events', async () => {
    const feed = createFeed()
    const subscriber = await watch(feed)
    const read = subscriber.next()
    subscriber.end()
    expect(await read).toBeNull()
    expect(feed.size).toBe(0)
    publish(feed, 1, 1)
    expect(await subscriber.next()).toBeNull()
  })

  it('ends when the feed is closed, which then accepts no new ones', async () => {
    const feed = createFeed()
    const subscriber = await watch(feed)
    feed.close()
    expect(await subscriber.next()).toBeNull()
    await expect(watch(feed)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
  })

  it.each([
    ['listens', () => undefined],
    [
      'has failed to listen',
      () => {
        throw new ServiceError('DATABASE_UNAVAILABLE')
      },
    ],
  ])('is rejected if the feed is closed before it %s', async (_, end) => {
    const feed = new EventFeed([], () => Promise.resolve().then(end))
    const subscribing = watch(feed)
    feed.close()
    await expect(subscribing).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
    expect(feed.size).toBe(0)
  })

  it('ends if its filter throws, and others continue', async () => {
    const feed = createFeed()
    const failing = await watch(feed, () => {
      throw new TypeError('a bug')
    })
    const other = await watch(feed)
    publish(feed, 1, 2)
    expect([await other.next(), await other.next()]).toEqual(['1', '2'])
    expect(await failing.next()).toBeNull()
    expect(feed.size).toBe(1)
  })

  it('ends with the key of its client', async () => {
    const feed = createFeed()
    const [one, other] = [await watch(feed, all, 'one'), await watch(feed, all, 'other')]
    feed.endSubscriptionsOf('one')
    publish(feed, 1, 1)
    expect([await one.next(), await other.next()]).toEqual([null, '1'])
  })
})

describe('limits', () => {
  it('at most 100 subscribers are offered an event in one iteration of the event loop, whether they want it or not', async () => {
    const feed = createFeed()
    let offers = 0
    const count = (isWanted: boolean) => () => {
      offers += 1
      return isWanted
    }
    for (const isWanted of [true, false])
      for (let number = 0; number < 150; number += 1) await watch(feed, count(isWanted))
    publish(feed, 1, 1)
    await setImmediate()
    expect(offers).toBe(100)
    await setImmediate()
    expect(offers).toBe(200)
    await setImmediate()
    expect(offers).toBe(300)
  })

  it('10,000 events wait for delivery, also to one that keeps reading; at one more, all subscriptions end', async () => {
    const feed = createFeed()
    const subscriber = await watch(feed)
    publish(feed, 1, 10_000)
    for (const id of numbers(1, 10_000)) expect(await subscriber.next()).toBe(String(id))
    const full = createFeed()
    const read = (await watch(full, () => false)).next()
    publish(full, 1, 10_001)
    expect(await read).toBeNull()
    expect(full.size).toBe(0)
  })

  it('10,000 events wait for a reader, whose subscription ends at the next one, and others continue', async () => {
    const feed = createFeed()
    const slow = await watch(feed)
    const other = await watch(feed, ({ row }) => Number(row.id) >= 10_000)
    publish(feed, 1, 10_000)
    expect(await other.next()).toBe('10000')
    expect(feed.size).toBe(2)
    publish(feed, 10_001, 10_001)
    expect(await other.next()).toBe('10001')
    expect(feed.size).toBe(1)
    expect(await slow.next()).toBeNull()
  })
})
