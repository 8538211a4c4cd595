/** Limits the memory of the answers being made and sent, so that any number of large ones cannot exhaust the process. */
import { ServiceError } from './errors.ts'

/** The maximum number of bytes of data behind one answer, and of its text. */
export const MAX_ANSWER = 16 * 2 ** 20
/** The maximum number of bytes of data and text of all answers together. The process uses a few times as much memory for them. */
const MAX_TOTAL = 96 * 2 ** 20
/** The first bytes of each answer are not counted; most answers are smaller than this. */
const UNCOUNTED = 64 * 2 ** 10

/** The connection of a request. */
export interface ClientConnection {
  readonly isClosed: boolean
  /** Calls the listener when the answer has been sent or the connection is closed, or at once if that has already happened. */
  onClose(listener: () => void): void
}

/** The memory of all answers of a process. */
export class MemoryBudget {
  #held = 0

  /** Begins an answer; its memory is released when it has been sent or its connection is closed. */
  open(connection: ClientConnection): AnswerMemory {
    return new AnswerMemory(this, connection)
  }

  /** Counts bytes unless they exceed the limit. @returns whether they were counted */
  take(bytes: number): boolean {
    if (this.#held + bytes > MAX_TOTAL) return false
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    this.#held -= bytes
  }
}

/** The memory of one answer. */
export class AnswerMemory {
  readonly #budget: MemoryBudget
  readonly #connection: ClientConnection
  #data = 0
  #text = 0
  #counted = 0

  constructor(budget: MemoryBudget, connection: ClientConnection) {
    this.#budget = budget
    this.#connection = connection
  }

  /** Whether the answer may be large: little data makes a short text, however often a document selects it. */
  get isCounted(): boolean {
    return this.#data > UNCOUNTED
  }

  /** Counts data from the database. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  holdData(bytes: number): void {
    const error = this.#hold(this.#data + bytes, this.#text)
    if (error) throw error
  }

  /** Counts text to be sent. @returns ServiceError RESPONSE_TOO_LARGE or OVERLOADED if it is too much */
  tryHoldText(bytes: number): ServiceError | null {
    return this.#hold(this.#data, this.#text + bytes)
  }

  /** Rejected bytes do not count, since the caller drops them. */
  #hold(data: number, text: number): ServiceError | null {
    if (Math.max(data, text) > MAX_ANSWER) return new ServiceError('RESPONSE_TOO_LARGE')
    const bytes = data + text
    if (bytes > UNCOUNTED && !this.#connection.isClosed) {
      if (!this.#budget.take(bytes - this.#counted)) return new ServiceError('OVERLOADED')
      if (this.#counted === 0) this.#connection.onClose(() => this.#budget.release(this.#counted))
      this.#counted = bytes
    }
    this.#data = data
    this.#text = text
    return null
  }
}
