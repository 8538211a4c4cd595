import { ServiceError } from '../errors.ts'
import type { Pet } from './pet.ts'
import type { PetStatus } from './pet-status.ts'

/** A change of one animal, whoever made it: this process, another one, or somebody with SQL. */
export interface PetChange {
  kind: 'created' | 'updated' | 'deleted'
  /** The animal as it is now; a deleted one as it was. */
  pet: Pet
  /** What lists go by: as it is now and, when it was updated, as it was before. */
  states: PetState[]
}

export interface PetState {
  categoryId: string
  status: PetStatus | null
  nameKey: string
}

/** Changes that wait for a subscriber who is slow to take them; with more, it is let go. */
const MAX_WAITING = 256
/** Subscribers of one process. */
const MAX_SUBSCRIBERS = 10_000
/** Changes that are handed on at once: a transaction of thousands gives those who read time to do so. */
const MAX_AT_ONCE = 100
/** Changes that have still to be handed on; with more, all are let go, and read again. */
const MAX_BACKLOG = 10_000

/** Where this process hears of changes. */
export class ChangeFeed {
  readonly #listen: () => Promise<void>
  readonly #subscriptions = new Set<Subscription>()
  #listening: Promise<void> | null = null
  #closed = false
  #backlog: PetChange[] = []

  /**
   * @param listen begins to hand every change to `publish`; it is called when there is somebody to hear of it, and again
   *   after `lose` has been
   */
  constructor(listen: () => Promise<void>) {
    this.#listen = listen
  }

  get size(): number {
    return this.#subscriptions.size
  }

  /**
   * Every change from now on that fits. It ends when changes may have been missed, or when the server stops: whoever wants to
   * go on subscribes again, and reads again what he shows.
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED, SHUTTING_DOWN
   */
  async subscribe(fits: (change: PetChange) => boolean): Promise<AsyncIterableIterator<PetChange>> {
    if (this.#closed) throw new ServiceError('SHUTTING_DOWN')
    if (this.size >= MAX_SUBSCRIBERS) throw new ServiceError('OVERLOADED')
    const listening = (this.#listening ??= this.#listen())
    try {
      await listening
    } catch (error) {
      if (this.#listening === listening) this.#listening = null
      throw error
    }
    // Lost or closed in the meantime.
    if (this.#listening !== listening) throw new ServiceError('DATABASE_UNAVAILABLE')
    const subscription = new Subscription(fits, () => this.#subscriptions.delete(subscription))
    this.#subscriptions.add(subscription)
    return subscription
  }

  /** Hands a change on, after those before it. */
  publish(change: PetChange): void {
    if (this.size === 0) return
    if (this.#backlog.length >= MAX_BACKLOG) {
      this.lose()
      return
    }
    if (this.#backlog.push(change) === 1) setImmediate(() => this.#handOn())
  }

  #handOn(): void {
    for (const change of this.#backlog.splice(0, MAX_AT_ONCE)) {
      for (const subscription of this.#subscriptions) subscription.offer(change)
    }
    if (this.#backlog.length > 0) setImmediate(() => this.#handOn())
  }

  /** Ends every subscription, since there may be changes that nobody has heard of. */
  lose(): void {
    this.#listening = null
    this.#backlog = []
    for (const subscription of this.#subscriptions) subscription.end()
  }

  /** Ends every subscription, and takes no more. */
  close(): void {
    this.#closed = true
    this.lose()
  }
}

/** What one subscriber has still to take. */
class Subscription implements AsyncIterableIterator<PetChange> {
  readonly #fits: (change: PetChange) => boolean
  readonly #forget: () => void
  #waiting: PetChange[] = []
  #readers: ((result: IteratorResult<PetChange, undefined>) => void)[] = []
  #ended = false

  constructor(fits: (change: PetChange) => boolean, forget: () => void) {
    this.#fits = fits
    this.#forget = forget
  }

  offer(change: PetChange): void {
    if (!this.#fits(change)) return
    const reader = this.#readers.shift()
    if (reader) reader({ done: false, value: change })
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(change)
    else this.end()
  }

  end(): void {
    this.#ended = true
    this.#waiting = []
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined })
    this.#forget()
  }

  next(): Promise<IteratorResult<PetChange, undefined>> {
    const value = this.#waiting.shift()
    if (value) return Promise.resolve({ done: false, value })
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => this.#readers.push(resolve))
  }

  return(): Promise<IteratorResult<PetChange, undefined>> {
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
