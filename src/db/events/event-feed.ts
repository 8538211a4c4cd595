/** Subscriptions to the events of all tables, from their beginning to their end: each gets those that match. */
import { setImmediate } from 'node:timers/promises'
import { Pace } from '../../base/pace.ts'
import { ServiceError } from '../../base/service-error.ts'
import { type EventSource, readEvent, type RowEvent } from './event-notifications.ts'

/** The maximum number of events that wait to be delivered: at the next one, all subscriptions end. */
const MAX_UNDELIVERED = 10_000
/** The maximum number of events that wait for the reader of one subscription, which ends at the next one. */
const MAX_UNREAD = 10_000
/** Subscriptions that an event is offered to in one iteration of the event loop. */
const OFFERS_PER_ITERATION = 100

/** Delivers events to the subscriptions of this process. */
export class EventFeed {
  readonly #listen: () => Promise<void>
  readonly #sources: readonly EventSource[]
  readonly #subscriptions = new Set<Subscription>()
  /** Resolves when the process listens for events; null: it does not listen. */
  #listening: Promise<void> | null = null
  #isClosed = false
  /** Undelivered events, in order. */
  #backlog: RowEvent[] = []
  #isDelivering = false
  readonly #pace = new Pace(OFFERS_PER_ITERATION)

  /** @param listen starts passing notifications on; called for the first subscriber, and for the first one after `endAll` */
  constructor(sources: readonly EventSource[], listen: () => Promise<void>) {
    this.#sources = sources
    this.#listen = listen
  }

  /** The number of subscriptions. */
  get size(): number {
    return this.#subscriptions.size
  }

  /** @param clientName the name of the subscriber's API key @throws ServiceError DATABASE_UNAVAILABLE, SHUTTING_DOWN */
  async subscribe(clientName: string, matches: (event: RowEvent) => boolean): Promise<Subscription> {
    this.#throwIfClosed()
    const listening = (this.#listening ??= this.#listen())
    try {
      await listening
    } catch (error) {
      if (this.#listening === listening) this.#listening = null
      this.#throwIfClosed()
      throw error
    }
    this.#throwIfClosed()
    // The database connection was lost in the meantime.
    if (this.#listening !== listening) throw new ServiceError('DATABASE_UNAVAILABLE')
    const subscription = new Subscription(clientName, matches, () => this.#subscriptions.delete(subscription))
    this.#subscriptions.add(subscription)
    return subscription
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new ServiceError('SHUTTING_DOWN')
  }

  /** Receives a notification. One that is not an event ends all subscriptions. */
  receive(notification: string): void {
    if (this.size === 0) return
    const event = readEvent(notification, this.#sources)
    if (event) this.publish(event)
    else this.endAll()
  }

  /** Queues an event for delivery, in order. */
  publish(event: RowEvent): void {
    if (this.size === 0) return
    if (this.#backlog.length >= MAX_UNDELIVERED) return this.endAll()
    this.#backlog.push(event)
    if (!this.#isDelivering) void this.#deliver()
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true
    try {
      while (this.#backlog.length > 0) {
        // Readers have time to read.
        await setImmediate()
        const event = this.#backlog.shift()
        if (event) await this.#pace.run(this.#offer(event))
      }
    } finally {
      this.#isDelivering = false
    }
  }

  *#offer(event: RowEvent): Generator {
    // A copy: clients that subscribe meanwhile see the change when they fetch.
    for (const subscription of [...this.#subscriptions]) {
      subscription.offer(event)
      yield
    }
  }

  /** Ends every subscription, because events may have been missed. */
  endAll(): void {
    this.#listening = null
    this.#backlog = []
    for (const subscription of this.#subscriptions) subscription.end()
  }

  /** Ends the subscriptions of a client whose key may no longer be valid. */
  endSubscriptionsOf(clientName: string): void {
    for (const subscription of this.#subscriptions)
      if (subscription.clientName === clientName) subscription.end()
  }

  /** Ends every subscription, and accepts no new ones. */
  close(): void {
    this.#isClosed = true
    this.endAll()
  }
}

/** One subscription, from the first event after it was made. */
export class Subscription {
  readonly clientName: string
  readonly #matches: (event: RowEvent) => boolean
  readonly #onEnd: () => void
  readonly #unread: RowEvent[] = []
  #isEnded = false
  /** Lets the reader look again. */
  #wake: () => void = () => undefined

  /** @param onEnd called each time that it is ended */
  constructor(clientName: string, matches: (event: RowEvent) => boolean, onEnd: () => void) {
    this.clientName = clientName
    this.#matches = matches
    this.#onEnd = onEnd
  }

  /** Takes an event, if it wants that. Ends if its filter throws: it would miss events, and no other subscription has to. */
  offer(event: RowEvent): void {
    try {
      if (this.#isEnded || !this.#matches(event)) return
    } catch {
      return this.end()
    }
    if (this.#unread.length >= MAX_UNREAD) return this.end()
    this.#unread.push(event)
    this.#wake()
  }

  /** Its events, for one reader. They end when some may have been missed, or the server stops: the client should subscribe again and refetch. */
  async *read(): AsyncGenerator<RowEvent, void> {
    while (!this.#isEnded) {
      const event = this.#unread.shift()
      if (event) yield event
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** Must be called when nothing reads it any more. */
  end(): void {
    this.#isEnded = true
    this.#unread.length = 0
    this.#wake()
    this.#onEnd()
  }
}
