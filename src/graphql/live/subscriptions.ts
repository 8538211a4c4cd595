/**
 * Live updates: subscriptions that get the same events in the same format are one group. An event is executed and written as text once
 * for a group, and the same bytes go to each subscriber.
 */
import { EventEmitter } from 'node:events'
import type { ClientResponse } from '../../base/client-response.ts'
import { Counts } from '../../base/counts.ts'
import { Pace } from '../../base/pace.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { StreamFormat } from './event-streams.ts'

/** The maximum number of subscriptions of one process, and of one API key. */
const MAX_SUBSCRIPTIONS = 10_000
const MAX_SUBSCRIPTIONS_OF_KEY = 1_000
/**
 * The maximum number of bytes that wait for a subscriber, besides those in the buffers of the system: at the next event, its subscription
 * ends. In the process, a short event takes several times its size.
 */
const MAX_UNREAD = 16 * 2 ** 10
/** Subscribers that are written to in one iteration of the event loop. */
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
   * @param group closed when it has no more subscribers, which has to end the events
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
  async join(options: GroupOptions): Promise<Subscriber> {
    const { id, clientName } = options
    this.#throwIfFull(clientName)
    const group = this.#groups.get(id) ?? this.#create(options)
    this.#count(clientName, 1)
    const subscriber = new Subscriber(group, () => this.#count(clientName, -1))
    try {
      await group.opened
    } catch (error) {
      subscriber.leave()
      throw error
    }
    return subscriber
  }

  #create(options: GroupOptions): Group {
    const { id } = options
    const group = new Group(options, this.#pace, () => {
      // Later subscribers may have opened another one.
      if (this.#groups.get(id) === group) this.#groups.delete(id)
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

  #count(clientName: string, change: 1 | -1): void {
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

/** Equal subscriptions, from the first subscriber to the last. For resolvers, the group is the client that waits for a response. */
class Group extends EventEmitter implements ClientResponse {
  readonly format: StreamFormat
  /** Resolves when it gets events. */
  readonly opened: Promise<void>
  readonly #pace: Pace
  readonly #onEnd: () => void
  readonly #subscribers = new Set<Subscriber>()
  #isEnded = false
  #destroyed = false

  /** @param onEnd called when there are no more events, or no more subscribers */
  constructor({ format, open }: GroupOptions, pace: Pace, onEnd: () => void) {
    super()
    this.format = format
    this.#pace = pace
    this.#onEnd = onEnd
    this.opened = open(this).then(
      (results) => void this.#deliver(results),
      (error: unknown) => {
        onEnd()
        throw error
      },
    )
  }

  /** Whether there are no more events. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Whether there are no more subscribers. */
  get destroyed(): boolean {
    return this.#destroyed
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber)
  }

  remove(subscriber: Subscriber): void {
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
      const bytes = Buffer.from(this.format.event(json))
      await this.#forEach((subscriber) => subscriber.send(bytes))
    }
    this.#isEnded = true
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

/** One subscription. Until it begins, it gets no events. */
export class Subscriber {
  readonly #group: Group
  readonly #onLeave: () => void
  #stream: EventStream | null = null
  #hasLeft = false

  constructor(group: Group, onLeave: () => void) {
    this.#group = group
    this.#onLeave = onLeave
    group.add(this)
  }

  get contentType(): string {
    return this.#group.format.contentType
  }

  /** Writes events to a response, until either side ends it. */
  begin(response: EventStream): void {
    if (response.destroyed) return this.leave()
    this.#stream = response
    response.write(this.#group.format.start)
    response.once('close', () => this.leave())
    // It may have ended meanwhile.
    if (this.#group.isEnded) this.end()
  }

  send(bytes: Buffer): void {
    if (!this.#stream) return
    if (this.#stream.writableLength > MAX_UNREAD) this.end()
    else this.#stream.write(bytes)
  }

  ping(): void {
    // To one that has not read everything, a ping would only add to that.
    if (this.#stream?.writableLength === 0) this.#stream.write(this.#group.format.ping)
  }

  /** Ends its response; one that has not begun ends when it begins. */
  end(): void {
    const stream = this.#stream
    if (!stream) return
    this.leave()
    stream.end(this.#group.format.end)
  }

  /** Its place is free, and it gets no more events. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#stream = null
    this.#group.remove(this)
    this.#onLeave()
  }
}
