/** What one request holds: its body as it arrives, the data for its answer, and the answer until it has been sent. */
import { ServiceError } from './service-error.ts'
import type { Lease, MemoryBudget } from './memory-budget.ts'

/** The maximum bytes of the data behind one answer, and of its text. */
export const MAX_ANSWER = 16 * 2 ** 20
/** A complete request that holds less is not counted: it is small and soon gone. */
const UNCOUNTED = 16 * 2 ** 10
/** How far the response to a request is. */
export interface ResponseState {
  /** Whether it has been sent, or its client is gone. */
  readonly isClosed: boolean
  /** Calls the listener when it is closed, or at once if it is. */
  onClose(listener: () => void): void
}

/** All that a request holds, in bytes. */
interface Parts {
  headers: number
  body: number
  data: number
  text: number
  /** Of text that is expected. */
  reserved: number
}

/** Holds one lease for all of it, until the response is closed. */
export class RequestMemory {
  readonly budget: MemoryBudget
  readonly response: ResponseState
  readonly #key: string
  #parts: Parts
  #lease: Lease | null = null

  /** @param headers bytes @throws ServiceError OVERLOADED */
  constructor(budget: MemoryBudget, key: string, response: ResponseState, headers = 0) {
    this.budget = budget
    this.response = response
    this.#key = key
    this.#parts = { headers: 0, body: 0, data: 0, text: 0, reserved: 0 }
    if (headers > UNCOUNTED) this.#hold({ headers })
  }

  /** The bytes of data, and of text that is expected. */
  get size(): number {
    return this.#parts.data + this.#parts.reserved
  }

  /**
   * Counts a body.
   * @param isComplete otherwise it counts however small it is, since it may stay for as long as a request may take
   * @throws ServiceError OVERLOADED
   */
  holdBody(bytes: number, isComplete: boolean): void {
    this.#hold({ body: bytes }, !isComplete)
  }

  /** Nothing needs the request any more: its answer is a stream of events, each of which is counted by itself. */
  releaseRequest(): void {
    this.#hold({ headers: 0, body: 0, data: 0, text: 0, reserved: 0 })
  }

  /**
   * Counts text before it is made, unless it is short, so that nothing is loaded for an answer for which there is no memory.
   * @throws ServiceError OVERLOADED
   */
  reserve(bytes: number): void {
    if (bytes > UNCOUNTED) this.#hold({ reserved: Math.min(bytes, MAX_ANSWER) })
  }

  /** Counts data from the database. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  holdData(bytes: number): void {
    this.#hold({ data: this.#parts.data + bytes })
  }

  /** Counts text to be sent. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  holdText(bytes: number): void {
    this.#hold({ text: this.#parts.text + bytes })
  }

  /** Counts the text, which is complete: nothing needs the data any more. @throws ServiceError RESPONSE_TOO_LARGE, OVERLOADED */
  complete(bytes: number): void {
    this.#hold({ data: 0, text: bytes, reserved: 0 })
  }

  /** What is rejected does not count, since the caller drops it. */
  #hold(change: Partial<Parts>, isCounted = false): void {
    const parts = { ...this.#parts, ...change }
    if (Math.max(parts.data, parts.text) > MAX_ANSWER) throw new ServiceError('RESPONSE_TOO_LARGE')
    const { headers, body, data, text, reserved } = parts
    const bytes = headers + body + data + Math.max(text, reserved)
    if ((isCounted || bytes > UNCOUNTED || this.#lease) && !this.response.isClosed) {
      // Both are in memory twice: as text, and as the values of fields.
      const copies = body + data
      // Keeps room for one text, so that someone can always finish.
      this.#resize(bytes + copies, text > this.#parts.text ? 0 : MAX_ANSWER)
    }
    this.#parts = parts
  }

  #resize(bytes: number, room: number): void {
    if (this.#lease) {
      this.#lease.resize(bytes, room)
    } else {
      const lease = this.budget.acquire(this.#key, bytes, room)
      this.#lease = lease
      this.response.onClose(() => lease[Symbol.dispose]())
    }
  }
}
