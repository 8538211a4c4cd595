/** Bounds the memory that answers take while they are made and sent, so that no number of large ones can exhaust the process. */
import { ServiceError } from './errors.ts'

/** Bytes of data that one answer may be made of, and bytes of its text. */
export const MAX_ANSWER = 16 * 2 ** 20
/** Bytes of all answers together, their data and their texts. What the process takes for them is a few times as much. */
const MAX_TOTAL = 96 * 2 ** 20
/** Bytes of an answer that are not counted: most answers are smaller. */
const UNCOUNTED = 64 * 2 ** 10

/** The connection that a request came by. */
export interface ClientConnection {
  readonly isClosed: boolean
  /** Calls the listener when the connection is closed, or the answer sent; at once, if that has happened already. */
  onClose(listener: () => void): void
}

/** What all answers of a process hold. */
export class MemoryBudget {
  #held = 0

  /** Begins an answer; what it holds is released when its connection is closed, or the answer sent. */
  open(connection: ClientConnection): AnswerMemory {
    return new AnswerMemory(this, connection)
  }

  /** Counts bytes, unless they are too many. @returns whether they were counted */
  take(bytes: number): boolean {
    if (this.#held + bytes > MAX_TOTAL) return false
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    this.#held -= bytes
  }
}

/** What one answer holds. */
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

  /** Whether the answer may turn out large: small data make a small text, however often a document asks for them. */
  get isCounted(): boolean {
    return this.#data > UNCOUNTED
  }

  /** Counts data from the database. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  holdData(bytes: number): void {
    const error = this.#hold(this.#data + bytes, this.#text)
    if (error) throw error
  }

  /** Counts text that will be sent. @returns ServiceError RESPONSE_TOO_LARGE or OVERLOADED if it is too much */
  tryHoldText(bytes: number): ServiceError | null {
    return this.#hold(this.#data, this.#text + bytes)
  }

  /** What is refused does not count: the caller drops it. */
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
