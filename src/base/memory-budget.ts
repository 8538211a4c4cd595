/** Limits the memory of all that is being made and waits to be sent, so that clients that do not read cannot exhaust the process. */
import { ServiceError } from './errors.ts'

/** The maximum number of bytes of data behind one answer, and of its text. */
export const MAX_ANSWER = 16 * 2 ** 20
/** The maximum number of bytes of all answers and events together. The process uses a few times as much memory for them. */
const MAX_TOTAL = 96 * 2 ** 20
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

/** The text of an event. Subscribers share it, so it counts once, until the last of them has taken it. */
export class EventText {
  readonly bytes: Buffer
  /** The number of subscribers that have not taken it. */
  waiting = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get length(): number {
    return this.bytes.length
  }
}

/** A subscriber that has not taken a text. */
interface SlowReader {
  text: EventText
  giveUp: () => void
}

/** The memory of all answers and events of a process. */
export class MemoryBudget {
  #held = 0
  /** What of it the slow subscribers have not taken. */
  #heldByEvents = 0
  /** The longest waiting first. */
  readonly #slow = new Set<SlowReader>()

  /** The bytes of all that is being made and waits. */
  get held(): number {
    return this.#held
  }

  /** Begins an answer; its memory is released when it has been sent or its connection is closed. */
  open(connection: ClientConnection): AnswerMemory {
    return new AnswerMemory(this, connection)
  }

  /** Counts bytes unless they exceed the limit, even without the slowest subscribers. @returns whether they were counted */
  take(bytes: number): boolean {
    if (this.#held - this.#heldByEvents + bytes > MAX_TOTAL) return false
    for (const reader of this.#slow) {
      if (this.#held + bytes <= MAX_TOTAL) break
      this.#remove(reader)
      reader.giveUp()
    }
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    this.#held -= bytes
  }

  /**
   * Counts a text until a subscriber has taken it.
   * @param giveUp called if others need the memory: closes the subscriber's connection
   * @returns the function to call when it has taken the text; null if there is no memory for it
   */
  holdEvent(text: EventText, giveUp: () => void): (() => void) | null {
    if (text.waiting === 0) {
      if (!this.take(text.length)) return null
      this.#heldByEvents += text.length
    }
    text.waiting += 1
    const reader = { text, giveUp }
    this.#slow.add(reader)
    return () => this.#remove(reader)
  }

  #remove(reader: SlowReader): void {
    if (!this.#slow.delete(reader)) return
    const { text } = reader
    text.waiting -= 1
    if (text.waiting > 0) return
    this.#heldByEvents -= text.length
    this.release(text.length)
  }
}

/** The memory of one answer. */
export class AnswerMemory {
  /** The budget of all answers. */
  readonly budget: MemoryBudget
  readonly #connection: ClientConnection
  #data = 0
  #text = 0
  #counted = 0

  constructor(budget: MemoryBudget, connection: ClientConnection) {
    this.budget = budget
    this.#connection = connection
  }

  /** Whether the text may be large: little data makes a short text, unless the request says otherwise. */
  get isLarge(): boolean {
    return this.#data > UNCOUNTED
  }

  /** Counts data from the database. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  holdData(bytes: number): void {
    this.#hold(this.#data + bytes, this.#text)
  }

  /** Counts text to be sent. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  holdText(bytes: number): void {
    this.#hold(this.#data, this.#text + bytes)
  }

  /** The text is complete, so nothing needs the data any more. */
  dropData(): void {
    this.#hold(0, this.#text)
  }

  /** Rejected bytes do not count, since the caller drops them. */
  #hold(data: number, text: number): void {
    if (Math.max(data, text) > MAX_ANSWER) throw new ServiceError('RESPONSE_TOO_LARGE')
    const bytes = data * COPIES_OF_DATA + text
    const counts = data + text > UNCOUNTED || this.#counted > 0 || this.#connection.isBehind
    if (counts && !this.#connection.isClosed) {
      if (!this.budget.take(bytes - this.#counted)) throw new ServiceError('OVERLOADED')
      if (this.#counted === 0) this.#connection.onClose(() => this.budget.release(this.#counted))
      this.#counted = bytes
    }
    this.#data = data
    this.#text = text
  }
}
