/** Limits the memory of everything that clients cause: one ledger, in which each holder has a lease. */
import { Counts } from './counts.ts'
import { ServiceError } from './service-error.ts'

/** The maximum bytes of all leases together. The process uses a few times as much memory for them. */
const MAX_TOTAL = 96 * 2 ** 20
/** The maximum bytes of one key: what the largest answer needs, so that another key can always get it, too. */
const MAX_PER_KEY = MAX_TOTAL / 2
/** The maximum bytes of the events that subscribers have not taken. */
const MAX_EVENTS = 32 * 2 ** 20

/** Whose memory it is: an API key's name; what clients have sent that no key is known of; or events. */
export type Holder = string | typeof NO_KEY | typeof EVENTS
export const NO_KEY = Symbol('no key')
const EVENTS = Symbol('events')

/** Bytes in the ledger. Its holder resizes it as it grows or shrinks, and disposes it when nothing of it is left. */
export interface Lease extends Disposable {
  /**
   * @param room bytes that have to be left for others, of the holder's share and of the total
   * @throws ServiceError OVERLOADED if there is not so much memory: the lease stays as it is
   */
  resize(bytes: number, room?: number): void
}

/** The text of an event, which counts once for all subscribers that have not taken it. */
interface UnreadText {
  lease: Lease
  subscribers: number
}

/** A subscriber that has not taken the text of an event. */
interface SlowSubscriber extends Disposable {
  giveUp: () => void
}

export class MemoryBudget {
  readonly #held = new Counts<Holder>()
  /** The longest waiting first. */
  readonly #slow = new Set<SlowSubscriber>()
  readonly #unread = new WeakMap<Buffer, UnreadText>()

  /** The bytes of all leases. */
  get held(): number {
    return this.#held.total
  }

  /** @throws ServiceError OVERLOADED if there is not so much memory, for the holder or at all */
  acquire(holder: Holder, bytes: number, room = 0): Lease {
    let size = 0
    const resize = (bytes: number, room = 0) => {
      if (bytes > size) this.#makeRoom(holder, bytes - size, room)
      this.#held.add(holder, bytes - size)
      size = bytes
    }
    resize(bytes, room)
    return { resize, [Symbol.dispose]: () => resize(0) }
  }

  /**
   * Counts the text of an event until a subscriber has taken it, or is given up.
   * @param giveUp called if others need the memory: closes the subscriber's connection
   * @throws ServiceError OVERLOADED
   */
  holdEvent(text: Buffer, giveUp: () => void): Disposable {
    const unread = this.#unread.get(text) ?? { lease: this.acquire(EVENTS, text.length), subscribers: 0 }
    this.#unread.set(text, unread)
    unread.subscribers += 1
    const subscriber = {
      giveUp,
      [Symbol.dispose]: () => {
        if (!this.#slow.delete(subscriber)) return
        unread.subscribers -= 1
        if (unread.subscribers > 0) return
        unread.lease[Symbol.dispose]()
        this.#unread.delete(text)
      },
    }
    this.#slow.add(subscriber)
    return subscriber
  }

  /** Gives up slow subscribers if that is necessary, and enough. @throws ServiceError OVERLOADED */
  #makeRoom(holder: Holder, bytes: number, room: number): void {
    const needed = bytes + room
    const isEvent = holder === EVENTS
    const left = MAX_TOTAL - this.held + this.#held.of(EVENTS)
    if (needed > left || (!isEvent && needed > MAX_PER_KEY - this.#held.of(holder)))
      throw new ServiceError('OVERLOADED')
    for (const subscriber of this.#slow) {
      if (bytes <= MAX_TOTAL - this.held && !(isEvent && bytes > MAX_EVENTS - this.#held.of(EVENTS))) break
      subscriber[Symbol.dispose]()
      subscriber.giveUp()
    }
  }
}
