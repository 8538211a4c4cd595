import { ServiceError } from '../../base/errors.ts'
import type { RowEvent } from './row-event.ts'
import { EVENTS, inOneStep, turns } from '../../base/turns.ts'
import { Subscription } from './subscription.ts'

/** The maximum number of subscribers of one process, and of one key. */
const MAX_SUBSCRIBERS = 10_000
const MAX_SUBSCRIBERS_OF_KEY = 1_000
/**
 * What one turn of the event loop may take: 100 deliveries, or 10,000 events that a subscriber does not want. So requests are answered
 * meanwhile, and subscribers have time to read.
 */
const TURN = 10_000
const DELIVERY = 100
/** The maximum number of undelivered events, and of milliseconds until one is delivered to all; beyond that, all subscriptions end. */
const MAX_BACKLOG = 10_000
const MAX_DELAY = 30_000
const NOTHING = { length: 0 } as const

/** Delivers the events of all rows to the subscribers of this process. */
export class ChangeFeed {
  readonly #listen: () => Promise<void>
  readonly #subscriptions = new Set<Subscription>()
  /** How many subscriptions each key has. */
  readonly #sizes = new Map<string, number>()
  #listening: Promise<void> | null = null
  #isClosed = false
  /** Undelivered events in order, with the time of each. */
  #backlog: { event: RowEvent; publishedAt: number }[] = []
  /** The subscribers who have not been offered the first event of the backlog. */
  #remaining: Iterator<Subscription, undefined>
  #isDelivering = false

  /**
   * @param listen starts passing every event to `publish`; called for the first subscriber, and for the first one after `endAll`
   */
  constructor(listen: () => Promise<void>) {
    this.#listen = listen
    this.#remaining = this.#subscriptions.values()
  }

  /** The number of subscriptions. */
  get size(): number {
    return this.#subscriptions.size
  }

  /**
   * Yields every matching event from now on. Ends when events may have been missed or the server stops: the client should then
   * subscribe again and refetch.
   * @param key the name of the subscriber's API key
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED, RATE_LIMITED if the key has too many, SHUTTING_DOWN
   */
  async subscribe(
    key: string,
    matches: (event: RowEvent) => boolean,
  ): Promise<AsyncIterableIterator<RowEvent>> {
    if (this.#isClosed) throw new ServiceError('SHUTTING_DOWN')
    this.#throwIfFull(key)
    const listening = (this.#listening ??= this.#listen())
    try {
      await listening
    } catch (error) {
      if (this.#listening === listening) this.#listening = null
      throw error
    }
    // The connection was lost or closed in the meantime.
    if (this.#listening !== listening) throw new ServiceError('DATABASE_UNAVAILABLE')
    // Others may have subscribed while this one waited.
    this.#throwIfFull(key)
    const subscription = new Subscription(key, matches, () => this.#remove(key, subscription))
    this.#subscriptions.add(subscription)
    this.#sizes.set(key, (this.#sizes.get(key) ?? 0) + 1)
    return subscription
  }

  #throwIfFull(key: string): void {
    if (this.size >= MAX_SUBSCRIBERS) throw new ServiceError('OVERLOADED')
    if ((this.#sizes.get(key) ?? 0) < MAX_SUBSCRIBERS_OF_KEY) return
    const message = `This API key already has ${MAX_SUBSCRIBERS_OF_KEY} subscriptions on this server, which is the limit.`
    throw new ServiceError('RATE_LIMITED', message)
  }

  #remove(key: string, subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription)) return
    const size = (this.#sizes.get(key) ?? 0) - 1
    if (size > 0) this.#sizes.set(key, size)
    else this.#sizes.delete(key)
  }

  /** Queues an event for delivery, in order. */
  publish(event: RowEvent): void {
    if (this.size === 0) return
    const now = performance.now()
    if (this.#backlog.length >= MAX_BACKLOG || now - (this.#backlog[0]?.publishedAt ?? now) > MAX_DELAY) {
      this.endAll()
      return
    }
    this.#backlog.push({ event, publishedAt: now })
    if (!this.#isDelivering) this.#deliverLater()
    this.#isDelivering = true
  }

  /** In a later turn, after the events that were delivered have been written to those who read. */
  #deliverLater(): void {
    setImmediate(
      () =>
        void turns.run(
          EVENTS,
          inOneStep(() => this.#deliver()),
        ),
    )
  }

  /** @returns nothing that was written */
  #deliver(): { length: 0 } {
    let rest = TURN
    for (let first = this.#backlog[0]; first; first = this.#backlog[0]) {
      if (rest <= 0) {
        this.#deliverLater()
        return NOTHING
      }
      const subscription = this.#remaining.next().value
      if (subscription) rest -= subscription.offer(first.event) ? DELIVERY : 1
      else this.#startNextEvent()
    }
    this.#isDelivering = false
    return NOTHING
  }

  #startNextEvent(): void {
    this.#backlog.shift()
    this.#remaining = this.#subscriptions.values()
  }

  /** Ends every subscription, because events may have been missed. */
  endAll(): void {
    this.#listening = null
    this.#backlog = []
    this.#remaining = this.#subscriptions.values()
    for (const subscription of this.#subscriptions) subscription.end()
  }

  /** Ends the subscriptions of a key that may no longer be valid. */
  endOf(key: string): void {
    for (const subscription of this.#subscriptions) if (subscription.key === key) subscription.end()
  }

  /** Ends every subscription, and accepts no new ones. */
  close(): void {
    this.#isClosed = true
    this.endAll()
  }
}
