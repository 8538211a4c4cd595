import { EventEmitter } from 'node:events'
import type { ClientResponse } from '../../base/client-response.ts'
import type { Pace } from '../../base/pace.ts'
import type { StreamFormat } from './event-streams.ts'
import { Subscriber } from './subscriber.ts'

export interface GroupOptions {
  format: StreamFormat
  /**
   * Subscribes. All that wait for the group get what it throws.
   * @param group closed when it has no more subscribers, which has to end the events
   * @returns the results of the events, as JSON; after an error they end, and throw nothing
   */
  open: (group: ClientResponse) => Promise<AsyncIterable<string>>
}

/**
 * Equal subscriptions, from the first subscriber, which is added at once, to the last. For resolvers, the group is the client that waits
 * for a response: it is destroyed, which ends the events, when the last subscriber has left. The end of the events ends all subscribers.
 */
export class Group extends EventEmitter implements ClientResponse {
  /** Resolves when it gets events. */
  readonly opened: Promise<void>
  readonly #format: StreamFormat
  readonly #pace: Pace
  readonly #onEnd: () => void
  readonly #subscribers = new Set<Subscriber>()
  #destroyed = false

  /** @param onEnd called when no more subscribers may be added, perhaps twice: there are no more events, or no more subscribers */
  constructor({ format, open }: GroupOptions, pace: Pace, onEnd: () => void) {
    super()
    this.#format = format
    this.#pace = pace
    this.#onEnd = onEnd
    // #deliver never rejects: the results do not throw, nor does writing to a response. What `open` throws rejects `opened`.
    this.opened = open(this).then((results) => void this.#deliver(results))
  }

  /** Whether there are no more subscribers. */
  get destroyed(): boolean {
    return this.#destroyed
  }

  /** @param onLeave called once, when the subscriber gets no more events */
  add(onLeave: () => void): Subscriber {
    const subscriber = new Subscriber(this.#format, () => {
      this.#remove(subscriber)
      onLeave()
    })
    this.#subscribers.add(subscriber)
    return subscriber
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber)
    if (this.#subscribers.size > 0) return
    this.#onEnd()
    this.#destroyed = true
    this.emit('close')
  }

  async ping(): Promise<void> {
    await this.#forEach((subscriber) => subscriber.ping())
  }

  async #deliver(results: AsyncIterable<string>): Promise<void> {
    for await (const json of results) {
      const bytes = Buffer.from(this.#format.event(json))
      await this.#forEach((subscriber) => subscriber.send(bytes))
    }
    this.#onEnd()
    await this.#forEach((subscriber) => subscriber.end())
  }

  #forEach(write: (subscriber: Subscriber) => void): Promise<void> {
    // A copy: later subscribers are not to get an older event.
    const subscribers = [...this.#subscribers]
    function* writeToAll() {
      for (const subscriber of subscribers) {
        write(subscriber)
        yield
      }
    }
    return this.#pace.run(writeToAll())
  }
}
