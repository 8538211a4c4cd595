import type { ClientResponse } from '../base/client-response.ts'
import { Counts } from '../base/counts.ts'
import { createOverloadError } from '../base/service-error.ts'
import { MAX_OPEN_COST_OF_KEY } from '../config/graphql-config.ts'

/**
 * The maximum open cost of all API keys together. One unit is at most 6 kB of response, a name of 1,000 escaped characters,
 * so all of it unread is 240 MB: the process stays within the 1 GiB that the examples of deployments allow it.
 */
const MAX_TOTAL = 2 * MAX_OPEN_COST_OF_KEY

/**
 * The cost of all open requests, in both APIs: what they make the database read, and the memory of their responses, which clients may
 * never read.
 */
export class OpenCost {
  readonly #open = new Counts()

  /** Holds the cost of a request until its response has been sent, or its client has disconnected. @throws ServiceError OVERLOADED */
  hold(clientName: string, cost: number, response: ClientResponse): void {
    if (this.#open.total + cost > MAX_TOTAL || this.#open.of(clientName) + cost > MAX_OPEN_COST_OF_KEY)
      throw createOverloadError('open cost')
    if (response.destroyed) return
    this.#open.add(clientName, cost)
    response.once('close', () => this.#open.add(clientName, -cost))
  }
}
