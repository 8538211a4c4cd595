import { Counts } from '../../base/counts.ts'
import { ServiceError } from '../../base/errors.ts'
import { oneAtATime } from '../../base/one-at-a-time.ts'
import { EVENTS, turns } from '../../base/turns.ts'
import type { WalPosition } from '../standbys/wal-position.ts'

/** The maximum number of subscribers of one process, and of one client. */
const MAX_SUBSCRIBERS = 10_000
const MAX_SUBSCRIBERS_OF_CLIENT = 1_000
/** The maximum number of unread events; beyond that, the subscription ends. */
const MAX_UNREAD = 256
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
/**
 * All subscriptions end if more events or characters than this wait for their position or to be delivered, or the oldest event longer
 * than this.
 */
const MAX_BACKLOG = 10_000
const MAX_BACKLOG_CHARACTERS = 32 * 2 ** 20
const MAX_DELAY_MS = 30_000

/** A row as an event describes it: each column by its name, an int64 as digits, and its sort keys. */
export type RowState = Readonly<Record<string, string | number | boolean | null>>

/** What a write did to one row. */
export interface RowChange {
  kind: 'created' | 'updated' | 'deleted'
  /** The row as it is now or, if it was deleted, as it was. */
  row: RowState
  /** What is known of the row as it was before an update. */
  before: RowState | null
}

/** A row was created, updated or deleted, by this server, another one, or plain SQL. */
export interface RowEvent extends RowChange {
  /** A position in the WAL after the event, if standbys answer reads. */
  walPosition?: WalPosition
}

/** An event that waits to be delivered, or to be read by those to whom it was delivered. */
interface Published {
  event: RowEvent
  /** In the time of performance.now. */
  at: number
  length: number
  /** The number of subscriptions that have yet to read it. */
  unread: number
}

/** The characters of the texts of an event. */
function lengthOf({ row, before }: RowEvent): number {
  let length = 0
  for (const state of [row, before ?? {}])
    for (const value of Object.values(state)) if (typeof value === 'string') length += value.length
  return length
}

/** Takes the events in order. */
export type EventReceiver = Pick<ChangeFeed, 'publish' | 'endAll'>

/** Delivers the events of all rows to the subscribers of this process. */
export class ChangeFeed {
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
    setImmediate(() => void turns.run(EVENTS, () => this.#deliver()))
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

/** The characters of all unread events: each counts once, however many subscriptions have yet to read it. */
class UnreadLength {
  total = 0

  add(published: Published): void {
    if (published.unread === 0) this.total += published.length
    published.unread += 1
  }

  remove(published: Published): void {
    published.unread -= 1
    if (published.unread === 0) this.total -= published.length
  }
}

/** The events that one subscriber has not read yet. */
class Subscription implements AsyncIterableIterator<RowEvent> {
  readonly clientName: string
  readonly #matches: (event: RowEvent) => boolean
  readonly #allUnread: UnreadLength
  readonly #onEnd: () => void
  #waiting: Published[] = []
  /** The characters of those that wait. */
  unreadLength = 0
  #readers: ((result: IteratorResult<RowEvent, undefined>) => void)[] = []
  #isEnded = false

  /** @param onEnd called each time that it ends or is ended */
  constructor(
    clientName: string,
    matches: (event: RowEvent) => boolean,
    allUnread: UnreadLength,
    onEnd: () => void,
  ) {
    this.clientName = clientName
    this.#matches = matches
    this.#allUnread = allUnread
    this.#onEnd = onEnd
  }

  /** @returns whether it wants the event */
  offer(published: Published): boolean {
    const { event, length } = published
    if (!this.#matches(event)) return false
    const reader = this.#readers.shift()
    if (reader) reader({ done: false, value: event })
    else if (this.#waiting.length < MAX_UNREAD) {
      this.#waiting.push(published)
      this.unreadLength += length
      this.#allUnread.add(published)
    } else this.end()
    return true
  }

  end(): void {
    this.#isEnded = true
    for (const published of this.#waiting.splice(0)) this.#allUnread.remove(published)
    this.unreadLength = 0
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined })
    this.#onEnd()
  }

  next(): Promise<IteratorResult<RowEvent, undefined>> {
    const published = this.#waiting.shift()
    if (published) {
      this.unreadLength -= published.length
      this.#allUnread.remove(published)
      return Promise.resolve({ done: false, value: published.event })
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => this.#readers.push(resolve))
  }

  return(): Promise<IteratorResult<RowEvent, undefined>> {
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/**
 * Adds to each event a position in the WAL after it, so that subscribers who refetch see it on a standby too. All events that
 * arrived meanwhile share one query to the primary.
 * @returns passes the events on to `feed`, in order
 */
export function addWalPositions(
  feed: EventReceiver & Pick<ChangeFeed, 'size'>,
  readPosition: () => Promise<WalPosition>,
): EventReceiver {
  let waiting: RowEvent[] = []
  /** The characters of those that wait. */
  let length = 0
  /** How often all subscriptions were ended: events from before that are no longer sent. */
  let ends = 0
  const endAll = () => {
    ends += 1
    waiting = []
    length = 0
    feed.endAll()
  }
  const release = oneAtATime(async () => {
    const events = waiting
    waiting = []
    length = 0
    if (events.length === 0) return
    const before = ends
    try {
      const walPosition = await readPosition()
      if (ends === before) for (const event of events) feed.publish({ ...event, walPosition })
    } catch {
      endAll()
    }
  })

  return {
    publish(event) {
      if (feed.size === 0) return
      length += lengthOf(event)
      if (waiting.push(event) > MAX_BACKLOG || length > MAX_BACKLOG_CHARACTERS) endAll()
      else void release()
    },
    endAll,
  }
}
