import { Counts } from '../../base/counts.ts'
import { ServiceError } from '../../base/service-error.ts'
import { type EventReceiver, lengthOf, type RowEvent } from './row-event.ts'
import { type Published, Subscription, UnreadLength } from './subscription.ts'

/** The maximum number of subscribers of one process, and of one client. */
const MAX_SUBSCRIBERS = 10_000
const MAX_SUBSCRIBERS_OF_CLIENT = 1_000
/**
 * The maximum number of characters of all unread events together; beyond that, the subscription with most of them ends. Slow
 * subscribers with different filters could otherwise keep 256 large rows each.
 */
const MAX_UNREAD_CHARACTERS = 32 * 2 ** 20
/**
 * The budget of one turn of the event loop: 10,000 checks; a delivery counts as 100. So requests are answered meanwhile, and
 * subscribers have time to read.
 */
const TURN = 10_000
const DELIVERY = 100
/** All subscriptions end if more events or characters than this wait to be delivered, or the oldest event longer than this. */
const MAX_BACKLOG = 10_000
const MAX_BACKLOG_CHARACTERS = 32 * 2 ** 20
const MAX_DELAY_MS = 30_000

/** Delivers the events of all rows to the subscribers of this process. */
export class ChangeFeed implements EventReceiver {
  readonly #listen: () => Promise<void>
  readonly #subscriptions = new Set<Subscription>()
  /** How many subscriptions each client has. */
  readonly #sizes = new Counts<string>()
  #listening: Promise<void> | null = null
  #isClosed = false
  /** Undelivered events in order, and their characters. */
  #backlog: Published[] = []
  #backlogLength = 0
  readonly #unread = new UnreadLength()
  /** The subscribers who have not been offered the first event of the backlog. */
  #remaining: Iterator<Subscription, undefined>
  #isDelivering = false

  /** @param listen starts passing every event to `publish`; called for the first subscriber, and for the first one after `endAll` */
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
   * @param clientName the name of the subscriber's API key
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED, RATE_LIMITED if the client has too many, SHUTTING_DOWN
   */
  async subscribe(
    clientName: string,
    matches: (event: RowEvent) => boolean,
  ): Promise<AsyncIterableIterator<RowEvent>> {
    if (this.#isClosed) throw new ServiceError('SHUTTING_DOWN')
    this.#throwIfFull(clientName)
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
    this.#throwIfFull(clientName)
    const subscription = new Subscription(clientName, matches, this.#unread, () => {
      if (this.#subscriptions.delete(subscription)) this.#sizes.add(clientName, -1)
    })
    this.#subscriptions.add(subscription)
    this.#sizes.add(clientName, 1)
    return subscription
  }

  #throwIfFull(clientName: string): void {
    if (this.size >= MAX_SUBSCRIBERS) throw new ServiceError('OVERLOADED')
    if (this.#sizes.of(clientName) < MAX_SUBSCRIBERS_OF_CLIENT) return
    const message = `This API key already has ${MAX_SUBSCRIBERS_OF_CLIENT} subscriptions on this server, which is the limit.`
    throw new ServiceError('RATE_LIMITED', message)
  }

  /** Queues an event for delivery, in order. */
  publish(event: RowEvent): void {
    if (this.size === 0) return
    const published = { event, at: performance.now(), length: lengthOf(event), unread: 0 }
    const { at: oldest } = this.#backlog[0] ?? published
    this.#backlogLength += published.length
    if (
      this.#backlog.length >= MAX_BACKLOG ||
      this.#backlogLength > MAX_BACKLOG_CHARACTERS ||
      published.at - oldest > MAX_DELAY_MS
    ) {
      this.endAll()
      return
    }
    this.#backlog.push(published)
    if (!this.#isDelivering) this.#deliverLater()
    this.#isDelivering = true
  }

  /** In a later turn, after the events that were delivered have been written to those who read. */
  #deliverLater(): void {
    setImmediate(() => this.#deliver())
  }

  #deliver(): void {
    let rest = TURN
    for (let first = this.#backlog[0]; first; first = this.#backlog[0]) {
      if (rest <= 0) {
        this.#deliverLater()
        return
      }
      const subscription = this.#remaining.next().value
      if (subscription) {
        rest -= subscription.offer(first) ? DELIVERY : 1
        while (this.#unread.total > MAX_UNREAD_CHARACTERS) this.#endSlowest()
      } else {
        this.#backlog.shift()
        this.#backlogLength -= first.length
        this.#remaining = this.#subscriptions.values()
      }
    }
    this.#isDelivering = false
  }

  #endSlowest(): void {
    const slowest = [...this.#subscriptions].reduce((one, other) =>
      other.unreadLength > one.unreadLength ? other : one,
    )
    slowest.end()
  }

  /** Ends every subscription, because events may have been missed. */
  endAll(): void {
    this.#listening = null
    this.#backlog = []
    this.#backlogLength = 0
    this.#remaining = this.#subscriptions.values()
    for (const subscription of this.#subscriptions) subscription.end()
  }

  /** Ends the subscriptions of a client whose key may no longer be valid. */
  endOf(clientName: string): void {
    for (const subscription of this.#subscriptions)
      if (subscription.clientName === clientName) subscription.end()
  }

  /** Ends every subscription, and accepts no new ones. */
  close(): void {
    this.#isClosed = true
    this.endAll()
  }
}
