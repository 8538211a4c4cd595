/**
 * Live updates: subscriptions that get the same events in the same format are one group. An event is executed and written as text once
 * for a group, and the same bytes go to each subscriber.
 */
import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { type ClientResponse, Counts } from '../base/open-cost.ts'
import { ServiceError } from '../base/service-error.ts'
import type { StreamFormat } from './event-streams.ts'

/** The maximum number of subscriptions of one process, and of one API key. */
const MAX_SUBSCRIPTIONS = 10_000
const MAX_SUBSCRIPTIONS_OF_KEY = 1_000
/**
 * The maximum number of bytes that wait for a subscriber, besides those in the buffers of the system: at the next event, its subscription
 * ends. In the process, a short event takes several times its size.
 */
const MAX_UNREAD = 16 * 2 ** 10
/** Subscribers that are written to in one iteration of the event loop, so that requests are answered meanwhile. */
const WRITES_PER_ITERATION = 100
/** Milliseconds between two pings, which show proxies and clients that a stream is alive. */
const PING_INTERVAL_MS = 12_000

interface GroupOptions {
  /** The same for subscriptions that are equal. */
  id: string
  /** The name of their API key. */
  clientName: string
  format: StreamFormat
  /**
   * Subscribes. All that wait for the group get what it throws.
   * @param group closed when nobody gets its events any more, which has to end them
   * @returns the results of the events, as JSON
   */
  open: (group: ClientResponse) => Promise<AsyncIterable<string>>
}

/** The response to a subscriber, as of node:http: whose headers have been written. */
interface EventStream extends ClientResponse {
  write(chunk: Buffer | string): unknown
  end(chunk: Buffer | string): unknown
  /** The number of bytes that wait in the process. */
  readonly writableLength: number
}

/** The subscriptions of a process. */
export class Subscriptions {
  readonly #groups = new Map<string, Group>()
  readonly #counts = new Counts()
  readonly #pace = new Pace()
  #pings: NodeJS.Timeout | undefined

  get size(): number {
    return this.#counts.total
  }

  /**
   * Joins a group, which is opened for its first subscriber. To be followed by `begin`.
   * @throws ServiceError OVERLOADED, RATE_LIMITED if the key has too many; what `open` throws
   */
  async join(options: GroupOptions): Promise<Group> {
    this.#throwIfFull(options.clientName)
    const group = this.#groups.get(options.id) ?? this.#create(options)
    group.join()
    try {
      await group.opened
    } catch (error) {
      group.leave()
      throw error
    }
    return group
  }

  #create(options: GroupOptions): Group {
    const { id, clientName } = options
    const group = new Group(options, this.#pace, {
      onCount: (change) => this.#count(clientName, change),
      onEnd: () => {
        // Later subscribers may have opened another one.
        if (this.#groups.get(id) === group) this.#groups.delete(id)
      },
    })
    this.#groups.set(id, group)
    return group
  }

  #throwIfFull(clientName: string): void {
    if (this.size >= MAX_SUBSCRIPTIONS)
      throw new ServiceError('OVERLOADED', undefined, { cause: 'subscriptions' })
    if (this.#counts.of(clientName) < MAX_SUBSCRIPTIONS_OF_KEY) return
    const message = `This API key already has ${MAX_SUBSCRIPTIONS_OF_KEY} subscriptions on this server, which is the limit.`
    throw new ServiceError('RATE_LIMITED', message)
  }

  #count(clientName: string, change: number): void {
    this.#counts.add(clientName, change)
    if (this.size > 0) this.#pings ??= setInterval(() => void this.#ping(), PING_INTERVAL_MS)
    else {
      clearInterval(this.#pings)
      this.#pings = undefined
    }
  }

  async #ping(): Promise<void> {
    for (const group of [...this.#groups.values()]) await group.ping()
  }
}

interface GroupListeners {
  /** Called with 1 when a subscriber has come, and with -1 when it has gone. */
  onCount: (change: 1 | -1) => void
  /** Called when there are no more events, or no more subscribers. */
  onEnd: () => void
}

/** Equal subscriptions, from the first subscriber to the last. For resolvers, the group is the client that waits for a response. */
export class Group extends EventEmitter implements ClientResponse {
  /** Resolves when it gets events. */
  readonly opened: Promise<void>
  destroyed = false
  readonly #format: StreamFormat
  readonly #pace: Pace
  readonly #listeners: GroupListeners
  #subscribers = 0
  /** Those of the subscribers that are written to. */
  readonly #streams = new Set<EventStream>()
  #isEnded = false

  constructor({ format, open }: GroupOptions, pace: Pace, listeners: GroupListeners) {
    super()
    this.#format = format
    this.#pace = pace
    this.#listeners = listeners
    this.opened = open(this).then(
      (results) => void this.#deliver(results),
      (error: unknown) => {
        listeners.onEnd()
        throw error
      },
    )
  }

  get contentType(): string {
    return this.#format.contentType
  }

  join(): void {
    this.#subscribers += 1
    this.#listeners.onCount(1)
  }

  leave(): void {
    this.#subscribers -= 1
    this.#listeners.onCount(-1)
    if (this.#subscribers > 0) return
    this.#listeners.onEnd()
    this.destroyed = true
    this.emit('close')
  }

  /** Writes events to a subscriber that has joined, until it leaves. */
  begin(response: EventStream): void {
    if (response.destroyed) return this.leave()
    this.#streams.add(response)
    response.write(this.#format.start)
    response.once('close', () => this.#streams.delete(response) && this.leave())
    // It may have ended meanwhile.
    if (this.#isEnded) this.#end(response)
  }

  async ping(): Promise<void> {
    await this.#forEach((stream) => {
      // To one that has not read everything, a ping would only add to that.
      if (stream.writableLength === 0) stream.write(this.#format.ping)
    })
  }

  async #deliver(results: AsyncIterable<string>): Promise<void> {
    for await (const json of results) {
      const bytes = Buffer.from(this.#format.event(json))
      await this.#forEach((stream) => {
        if (stream.writableLength > MAX_UNREAD) this.#end(stream)
        else stream.write(bytes)
      })
    }
    this.#isEnded = true
    this.#listeners.onEnd()
    await this.#forEach((stream) => this.#end(stream))
  }

  #end(stream: EventStream): void {
    this.#streams.delete(stream)
    stream.end(this.#format.end)
    this.leave()
  }

  async #forEach(write: (stream: EventStream) => void): Promise<void> {
    // A copy: those that come meanwhile have fetched a later state, or will.
    for (const stream of [...this.#streams]) {
      while (!this.#pace.take()) await this.#pace.next()
      if (this.#streams.has(stream)) write(stream)
    }
  }
}

/** Spreads the writes of all groups over the iterations of the event loop. */
class Pace {
  #remaining = WRITES_PER_ITERATION
  #next: Promise<void> | null = null

  /** @returns whether there may be one more write in this iteration */
  take(): boolean {
    if (this.#remaining === 0) return false
    this.#remaining -= 1
    return true
  }

  next(): Promise<void> {
    return (this.#next ??= this.#begin())
  }

  async #begin(): Promise<void> {
    await setImmediate()
    this.#next = null
    this.#remaining = WRITES_PER_ITERATION
  }
}
