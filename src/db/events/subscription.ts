import type { RowEvent } from './row-event.ts'

/** The maximum number of unread events; beyond that, the subscription ends. */
const MAX_UNREAD = 256

/** An event that waits to be delivered, or to be read by those to whom it was delivered. */
export interface Published {
  event: RowEvent
  /** In the time of performance.now. */
  at: number
  length: number
  /** The number of subscriptions that have yet to read it. */
  unread: number
}

/** The characters of all unread events: each counts once, however many subscriptions have yet to read it. */
export class UnreadLength {
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
export class Subscription implements AsyncIterableIterator<RowEvent> {
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
