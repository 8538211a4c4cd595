import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from '../config/env.ts'
import { ServiceError } from '../base/errors.ts'

/** Counts the requests of each client. */
export interface RateLimiter {
  /** Counts a request, and sets the headers that report what is left. @throws ServiceError RATE_LIMITED */
  consume: (client: string, reply: FastifyReply) => Promise<void>
  /** Counts a request, and sets no headers unless the limit is exceeded. @throws ServiceError RATE_LIMITED */
  count: (client: string, reply: FastifyReply) => Promise<void>
}

/** Counts requests for all servers together. */
export interface SharedCounts {
  /**
   * Counts a request of a key, in a period of this many seconds.
   * @returns the requests of the period so far, and the milliseconds until it ends
   * @throws any error if they cannot be counted now
   */
  count(key: string, seconds: number): Promise<{ requests: number; msLeft: number }>
}

/** Counts a request of a client. @returns the client's state, even if it has exceeded the limit */
type Take = (client: string) => Promise<RateLimiterRes>

/**
 * @param name the name of the limit in RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10)
 * @param shared counts for all servers; null: every process counts for itself
 */
export function createRateLimiter(
  name: string,
  limit: RateLimit,
  shared: SharedCounts | null = null,
): RateLimiter {
  const { requests, seconds } = limit
  const take = shared ? countShared(shared, name, limit) : countInMemory(limit)
  const throwIfExceeded = (state: RateLimiterRes, reply: FastifyReply): void => {
    if (state.consumedPoints <= requests) return
    reply.header('retry-after', Math.ceil(state.msBeforeNext / 1000))
    throw new ServiceError('RATE_LIMITED')
  }

  return {
    async consume(client, reply) {
      const state = await take(client)
      const left = Math.max(0, requests - state.consumedPoints)
      reply.header('ratelimit-policy', `"${name}";q=${requests};w=${seconds}`)
      reply.header('ratelimit', `"${name}";r=${left};t=${Math.ceil(state.msBeforeNext / 1000)}`)
      throwIfExceeded(state, reply)
    },
    async count(client, reply) {
      throwIfExceeded(await take(client), reply)
    },
  }
}

function countInMemory({ requests, seconds }: RateLimit): Take {
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds })
  // When the limit is exceeded, the limiter throws its state.
  return (client) =>
    limiter.consume(client).catch((reason: unknown) => {
      if (reason instanceof RateLimiterRes) return reason
      throw reason
    })
}

/** The maximum number of clients over the limit that are remembered. */
const MAX_EXCEEDED = 10_000

/**
 * The library's own store for Postgres would run one statement for each request, outside our queue, using the clock of each server.
 * What the database cannot count is counted in memory.
 */
function countShared(shared: SharedCounts, name: string, limit: RateLimit): Take {
  const { requests, seconds } = limit
  const takeFromMemory = countInMemory(limit)
  /** When the periods of clients over the limit end: until then they need not be counted. */
  const exceeded = new LRUCache<string, number>({ max: MAX_EXCEEDED })
  const toState = (count: number, msLeft: number) =>
    new RateLimiterRes(Math.max(0, requests - count), msLeft, count)

  return async (client) => {
    // Another limit is another count.
    const key = `${name} ${requests}/${seconds}:${client}`
    const msLeft = (exceeded.get(key) ?? 0) - Date.now()
    if (msLeft > 0) return toState(requests + 1, msLeft)
    try {
      const counted = await shared.count(key, seconds)
      if (counted.requests > requests) exceeded.set(key, Date.now() + counted.msLeft)
      return toState(counted.requests, counted.msLeft)
    } catch {
      return takeFromMemory(client)
    }
  }
}
