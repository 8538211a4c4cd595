import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes, RateLimiterStoreAbstract } from 'rate-limiter-flexible'
import type { RateLimit } from '../env.ts'
import { ServiceError } from '../errors.ts'

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
   * Counts a request of a key, in a period of so many seconds.
   * @returns the requests of the period so far, and the milliseconds until it ends
   * @throws any error if they cannot be counted now
   */
  count(key: string, seconds: number): Promise<{ requests: number; msLeft: number }>
}

/**
 * @param name the name of the limit in RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10)
 * @param shared counts for all servers; null: every process counts for itself
 */
export function createRateLimiter(
  name: string,
  { requests, seconds }: RateLimit,
  shared: SharedCounts | null = null,
): RateLimiter {
  const memory = new RateLimiterMemory({ points: requests, duration: seconds })
  const limiter = shared ? new SharedLimiter(shared, name, { requests, seconds }, memory) : memory

  /** When the limit is exceeded, the limiter throws its state. */
  const take = (client: string): Promise<{ state: RateLimiterRes; isExceeded: boolean }> =>
    limiter.consume(client).then(
      (state) => ({ state, isExceeded: false }),
      (reason: unknown) => {
        if (reason instanceof RateLimiterRes) return { state: reason, isExceeded: true }
        throw reason
      },
    )
  const reject = (state: RateLimiterRes, reply: FastifyReply): never => {
    reply.header('retry-after', Math.ceil(state.msBeforeNext / 1000))
    throw new ServiceError('RATE_LIMITED')
  }

  return {
    async consume(client, reply) {
      const { state, isExceeded } = await take(client)
      reply.header('ratelimit-policy', `"${name}";q=${requests};w=${seconds}`)
      reply.header(
        'ratelimit',
        `"${name}";r=${state.remainingPoints};t=${Math.ceil(state.msBeforeNext / 1000)}`,
      )
      if (isExceeded) reject(state, reply)
    },
    async count(client, reply) {
      const { state, isExceeded } = await take(client)
      if (isExceeded) reject(state, reply)
    },
  }
}

/**
 * The library calls `_upsert` of a store for each request, except for a client that is known to have exceeded the limit, and counts
 * in memory if that fails. Its own store for Postgres would run one statement for each request, by the clock of each server.
 */
class SharedLimiter extends RateLimiterStoreAbstract {
  readonly #counts: SharedCounts

  constructor(
    counts: SharedCounts,
    name: string,
    { requests, seconds }: RateLimit,
    insuranceLimiter: RateLimiterMemory,
  ) {
    super({
      storeClient: counts,
      // Another limit is another count.
      keyPrefix: `${name} ${requests}/${seconds}`,
      points: requests,
      duration: seconds,
      inMemoryBlockOnConsumed: requests + 1,
      insuranceLimiter,
    })
    this.#counts = counts
  }

  _upsert(key: string, _points: number, milliseconds: number): ReturnType<SharedCounts['count']> {
    return this.#counts.count(key, milliseconds / 1000)
  }

  _getRateLimiterRes(
    _key: string,
    _points: number,
    { requests, msLeft }: Awaited<ReturnType<SharedCounts['count']>>,
  ): RateLimiterRes {
    return new RateLimiterRes(Math.max(0, this.points - requests), msLeft, requests, requests === 1)
  }
}
