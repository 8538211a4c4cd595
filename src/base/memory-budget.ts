/** Limits the memory of everything that is being made or waits to be sent, so that clients that do not read cannot exhaust the process. */
import { Counts } from './counts.ts'
import { ServiceError } from './errors.ts'

/** The maximum bytes of the data behind one answer, and of its text. */
export const MAX_ANSWER = 16 * 2 ** 20
/** The maximum bytes of all answers and events together. The process uses a few times as much memory for them. */
const MAX_TOTAL = 96 * 2 ** 20
/** The maximum bytes of one key's answers: what the largest answer needs, so that another key can always get it, too. */
const MAX_PER_KEY = MAX_TOTAL / 2
/** The maximum bytes of the events that subscribers have not taken. */
const MAX_EVENTS = 32 * 2 ** 20
/** A smaller answer is not counted if it is the next on its connection, since the socket takes most of it at once. */
const UNCOUNTED = 16 * 2 ** 10
/** Data is in memory as the text that the driver received, and as the values of fields. */
const COPIES_OF_DATA = 2

/** The connection of a request. */
export interface ClientConnection {
  readonly isClosed: boolean
  /** Whether something else has yet to be sent before the answer. */
  readonly isBehind: boolean
  /** Calls the listener when the answer has been sent or the connection is closed, or at once if that has already happened. */
  onClose(listener: () => void): void
}

/** A subscriber that has not taken the text of an event. */
interface SlowSubscriber {
  text: Buffer
  giveUp: () => void
}

export class MemoryBudget {
  #held = 0
  /** The part of it that answers hold, by key. */
  readonly #heldByKey = new Counts<string>()
  /** The part of it that slow subscribers have not taken. */
  #heldByEvents = 0
  /** The longest waiting first. */
  readonly #slow = new Set<SlowSubscriber>()
  /** How many of them there are for each text. */
  readonly #slowByText = new WeakMap<Buffer, number>()

  get held(): number {
    return this.#held
  }

  /** Begins an answer to a key; its memory is released when it has been sent or its connection is closed. */
  open(key: string, connection: ClientConnection): AnswerMemory {
    return new AnswerMemory(this, key, connection)
  }

  /**
   * Counts bytes of an answer, or releases them if negative. It does not count what exceeds the limit, or the share of its key.
   * @param room what has to be left of both
   * @returns whether they were counted
   */
  takeFor(key: string, bytes: number, room: number): boolean {
    const held = this.#heldByKey.of(key) + bytes
    if (bytes > 0 && (held > MAX_PER_KEY - room || !this.#has(bytes + room))) return false
    this.take(bytes)
    this.#heldByKey.add(key, bytes)
    return true
  }

  /**
   * Counts bytes, unless they exceed the limit even without the slowest subscribers; or releases them if negative.
   * @returns whether they were counted
   */
  take(bytes: number): boolean {
    if (!this.#has(bytes)) return false
    this.#giveUpUntil(() => this.#held + bytes <= MAX_TOTAL)
    this.#held += bytes
    return true
  }

  /** Whether there is room, if necessary after giving up the slow subscribers. */
  #has(bytes: number): boolean {
    return this.#held - this.#heldByEvents + bytes <= MAX_TOTAL
  }

  #giveUpUntil(isEnough: () => boolean): void {
    for (const subscriber of this.#slow) {
      if (isEnough()) break
      this.#remove(subscriber)
      subscriber.giveUp()
    }
  }

  /**
   * Counts the text of an event until a subscriber has taken it. Those that share a text count it once, until the last has taken it.
   * @param giveUp called if later texts or answers need the memory: closes the subscriber's connection
   * @returns the function to call when it has taken the text
   * @throws ServiceError OVERLOADED
   */
  holdEvent(text: Buffer, giveUp: () => void): () => void {
    const others = this.#slowByText.get(text) ?? 0
    if (others === 0) {
      this.#giveUpUntil(() => this.#heldByEvents + text.length <= MAX_EVENTS)
      if (!this.take(text.length)) throw new ServiceError('OVERLOADED')
      this.#heldByEvents += text.length
    }
    this.#slowByText.set(text, others + 1)
    const subscriber = { text, giveUp }
    this.#slow.add(subscriber)
    return () => this.#remove(subscriber)
  }

  #remove(subscriber: SlowSubscriber): void {
    if (!this.#slow.delete(subscriber)) return
    const { text } = subscriber
    const others = (this.#slowByText.get(text) ?? 1) - 1
    this.#slowByText.set(text, others)
    if (others > 0) return
    this.#heldByEvents -= text.length
    this.take(-text.length)
  }
}

export class AnswerMemory {
  readonly budget: MemoryBudget
  readonly #key: string
  readonly #connection: ClientConnection
  #data = 0
  #text = 0
  /** Bytes of text that are expected. */
  #reserved = 0
  #counted = 0
  #isCounted = false

  constructor(budget: MemoryBudget, key: string, connection: ClientConnection) {
    this.budget = budget
    this.#key = key
    this.#connection = connection
  }

  /** The bytes of data, and of text that is expected. */
  get size(): number {
    return this.#data + this.#reserved
  }

  /**
   * Counts text before it is made, unless it is short, so that nothing is loaded for an answer for which there is no memory.
   * @throws ServiceError OVERLOADED
   */
  reserve(bytes: number): void {
    if (bytes > UNCOUNTED) this.#hold(this.#data, this.#text, Math.min(bytes, MAX_ANSWER))
  }

  /** Counts data from the database. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  holdData(bytes: number): void {
    this.#hold(this.#data + bytes, this.#text)
  }

  /** Counts text to be sent. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  holdText(bytes: number): void {
    this.#hold(this.#data, this.#text + bytes)
  }

  /** Counts the text, which is complete: nothing needs the data any more. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  complete(bytes: number): void {
    this.#hold(0, bytes, 0)
  }

  /** Rejected bytes do not count, since the caller drops them. */
  #hold(data: number, text: number, reserved = this.#reserved): void {
    if (Math.max(data, text) > MAX_ANSWER) throw new ServiceError('RESPONSE_TOO_LARGE')
    const all = Math.max(text, reserved)
    const counts = data + all > UNCOUNTED || this.#isCounted || this.#connection.isBehind
    if (counts && !this.#connection.isClosed) {
      const bytes = data * COPIES_OF_DATA + all
      // Data leaves room for the text of an answer: otherwise many would wait with their data, and none could be written.
      const room = text > this.#text ? 0 : MAX_ANSWER
      if (!this.budget.takeFor(this.#key, bytes - this.#counted, room)) throw new ServiceError('OVERLOADED')
      if (!this.#isCounted) this.#connection.onClose(() => this.budget.takeFor(this.#key, -this.#counted, 0))
      this.#isCounted = true
      this.#counted = bytes
    }
    this.#data = data
    this.#text = text
    this.#reserved = reserved
  }
}
