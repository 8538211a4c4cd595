import { ServiceError } from './service-error.ts'

/**
 * The maximum open cost of all API keys together. One unit is at most 6 kB of response, a name of 1,000 escaped characters:
 * with all of it unread, the process stays within the 1 GiB that the examples of deployments allow it.
 */
const MAX_TOTAL = 40_000
/** The maximum open cost of one API key: no document may cost more. */
export const MAX_PER_KEY = MAX_TOTAL / 2

/** The part of a response that tells whether its client still waits for it. */
export interface ClientResponse {
  /** Whether it has been sent, or its connection has closed. */
  readonly destroyed: boolean
  /** Emitted once, when the response has been sent or its connection has closed, even if it was queued behind other responses. */
  once(event: 'close', listener: () => void): unknown
}

/** The cost of all open requests: what they make the database read, and the memory of their responses, which clients may never read. */
export class OpenCost {
  readonly #open = new Counts()

  /** Holds the cost of a request until its response has been sent, or its client has disconnected. @throws ServiceError OVERLOADED */
  hold(clientName: string, cost: number, response: ClientResponse): void {
    if (this.#open.total + cost > MAX_TOTAL || this.#open.of(clientName) + cost > MAX_PER_KEY)
      throw new ServiceError('OVERLOADED', undefined, { cause: 'open cost' })
    if (response.destroyed) return
    this.#open.add(clientName, cost)
    response.once('close', () => this.#open.add(clientName, -cost))
  }
}

/** The maximum number of names that are kept although their count is 0. */
const MAX_IDLE = 100

/**
 * Counts by name. Up to MAX_IDLE names stay although their count is 0: a Map that is emptied and filled again leaves garbage that only a full
 * collection frees.
 */
export class Counts {
  readonly #counts = new Map<string, number>()
  total = 0

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change
    if (count === 0 && this.#counts.size > MAX_IDLE) this.#counts.delete(name)
    else this.#counts.set(name, count)
    this.total += change
  }
}
