/**
 * Live updates: subscriptions that get the same events in the same format are one group (group.ts). An event is executed and written as text
 * once for a group, and the same bytes go to each subscriber (subscriber.ts). Here, they are limited, found again, and kept alive.
 */
import { Counts } from '../../base/counts.ts'
import { Pace } from '../../base/pace.ts'
import { createOverloadError, ServiceError } from '../../base/service-error.ts'
import { Group, type GroupOptions } from './group.ts'
import type { Subscriber } from './subscriber.ts'

/** The maximum number of subscriptions of one process, and of one API key. */
const MAX_SUBSCRIPTIONS = 10_000
const MAX_SUBSCRIPTIONS_OF_KEY = 1_000
/** Subscribers that are written to in one iteration of the event loop. */
const WRITES_PER_ITERATION = 100
/** Milliseconds between two pings, which show proxies and clients that a stream is alive. */
export const PING_INTERVAL_MS = 12_000

interface JoinOptions extends GroupOptions {
  /** The same for subscriptions that are equal. */
  id: string
  /** The name of their API key. */
  clientName: string
}

/** The subscriptions of a process. */
export class Subscriptions {
  readonly #groups = new Map<string, Group>()
  readonly #counts = new Counts()
  readonly #pace = new Pace(WRITES_PER_ITERATION)
  #pings: NodeJS.Timeout | undefined

  get size(): number {
    return this.#counts.total
  }

  /**
   * Joins a group, which is opened for its first subscriber.
   * @returns the subscriber, which must begin or leave
   * @throws ServiceError OVERLOADED, RATE_LIMITED if the key has too many; what `open` throws
   */
  async join(options: JoinOptions): Promise<Subscriber> {
    const { id, clientName } = options
    this.#throwIfFull(clientName)
    const group = this.#groups.get(id) ?? this.#create(options)
    this.#count(clientName, 1)
    const subscriber = group.add(() => this.#count(clientName, -1))
    try {
      await group.opened
    } catch (error) {
      subscriber.leave()
      throw error
    }
    return subscriber
  }

  #create({ id, ...options }: JoinOptions): Group {
    const group = new Group(options, this.#pace, () => {
      // Later subscribers may have opened another one.
      if (this.#groups.get(id) === group) this.#groups.delete(id)
    })
    this.#groups.set(id, group)
    return group
  }

  #throwIfFull(clientName: string): void {
    if (this.size >= MAX_SUBSCRIPTIONS) throw createOverloadError('subscriptions')
    if (this.#counts.of(clientName) < MAX_SUBSCRIPTIONS_OF_KEY) return
    const message = `This API key already has ${MAX_SUBSCRIPTIONS_OF_KEY} subscriptions on this server, which is the limit.`
    throw new ServiceError('RATE_LIMITED', message)
  }

  #count(clientName: string, change: 1 | -1): void {
    this.#counts.add(clientName, change)
    if (this.size > 0) this.#pings ??= setInterval(() => void this.#ping(), PING_INTERVAL_MS)
    else {
      clearInterval(this.#pings)
      this.#pings = undefined
    }
  }

  /** Never rejects, since writing to a response does not throw. */
  async #ping(): Promise<void> {
    for (const group of [...this.#groups.values()]) await group.ping()
  }
}
