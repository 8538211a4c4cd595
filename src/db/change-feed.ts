import { ServiceError } from '../errors.ts'
import type { PetEvent } from './pet-event.ts'

/** The maximum number of unread events of one subscriber; beyond that, its subscription ends. */
const MAX_WAITING = 256
/** The maximum number of subscribers of one process, and of one key. */
const MAX_SUBSCRIBERS = 10_000
const MAX_SUBSCRIBERS_OF_KEY = 1_000
/** Events delivered per turn of the event loop, so that subscribers have time to read after a transaction of thousands. */
const MAX_AT_ONCE = 100
/** The maximum number of undelivered events; beyond that, all subscriptions end. */
const MAX_BACKLOG = 10_000

/** Delivers the events of all pets to the subscribers of this process. */
export class ChangeFeed {
  readonly #listen: () => Promise<void>
  readonly #subscriptions = new Set<Subscription>()
  /** How many subscriptions each key has. */
  readonly #sizes = new Map<string, number>()
  #listening: Promise<void> | null = null
  #isClosed = false
  #backlog: PetEvent[] = []

  /**
   * @param listen starts passing every event to `publish`; called for the first subscriber, and for the first one after `endAll`
   */
  constructor(listen: () => Promise<void>) {
    this.#listen = listen
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
    matches: (event: PetEvent) => boolean,
  ): Promise<AsyncIterableIterator<PetEvent>> {
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
  publish(event: PetEvent): void {
    if (this.size === 0) return
    if (this.#backlog.length >= MAX_BACKLOG) {
      this.endAll()
      return
    }
    if (this.#backlog.push(event) === 1) setImmediate(() => this.#deliver())
  }

  #deliver(): void {
    for (const event of this.#backlog.splice(0, MAX_AT_ONCE)) {
      for (const subscription of this.#subscriptions) subscription.offer(event)
    }
    if (this.#backlog.length > 0) setImmediate(() => this.#deliver())
  }

  /** Ends every subscription, because events may have been missed. */
  endAll(): void {
    this.#listening = null
    this.#backlog = []
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

/** The events that one subscriber has not read yet. */
class Subscription implements AsyncIterableIterator<PetEvent> {
  readonly key: string
  readonly #matches: (event: PetEvent) => boolean
  readonly #onEnd: () => void
  #waiting: PetEvent[] = []
  #readers: ((result: IteratorResult<PetEvent, undefined>) => void)[] = []
  #isEnded = false

  constructor(key: string, matches: (event: PetEvent) => boolean, onEnd: () => void) {
    this.key = key
    this.#matches = matches
    this.#onEnd = onEnd
  }

  offer(event: PetEvent): void {
    if (!this.#matches(event)) return
    const reader = this.#readers.shift()
    if (reader) reader({ done: false, value: event })
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(event)
    else this.end()
  }

  end(): void {
    this.#isEnded = true
    this.#waiting = []
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined })
    this.#onEnd()
  }

  next(): Promise<IteratorResult<PetEvent, undefined>> {
    const value = this.#waiting.shift()
    if (value) return Promise.resolve({ done: false, value })
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => this.#readers.push(resolve))
  }

  return(): Promise<IteratorResult<PetEvent, undefined>> {
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
