import type { RowEvent } from './row-event.ts'

/** The maximum number of unread events; beyond that, the subscription ends. */
const MAX_WAITING = 256

/** The events that one subscriber has not read yet. */
export class Subscription implements AsyncIterableIterator<RowEvent> {
  readonly key: string
  readonly #matches: (event: RowEvent) => boolean
  readonly #onEnd: () => void
  #waiting: RowEvent[] = []
  #readers: ((result: IteratorResult<RowEvent, undefined>) => void)[] = []
  #isEnded = false

  /**
   * @param key the name of the subscriber's API key
   * @param onEnd called each time that it ends or is ended
   */
  constructor(key: string, matches: (event: RowEvent) => boolean, onEnd: () => void) {
    this.key = key
    this.#matches = matches
    this.#onEnd = onEnd
  }

  /** @returns whether it wants the event */
  offer(event: RowEvent): boolean {
    if (!this.#matches(event)) return false
    const reader = this.#readers.shift()
    if (reader) reader({ done: false, value: event })
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(event)
    else this.end()
    return true
  }

  end(): void {
    this.#isEnded = true
    this.#waiting = []
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined })
    this.#onEnd()
  }

  next(): Promise<IteratorResult<RowEvent, undefined>> {
    const value = this.#waiting.shift()
    if (value) return Promise.resolve({ done: false, value })
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
