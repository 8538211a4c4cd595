import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from '../env.ts'
import { ServiceError } from '../errors.ts'

/** Counts the requests of each client, separately in every process. */
export interface RateLimiter {
  /** Counts a request, and sets the headers that report what is left. @throws ServiceError RATE_LIMITED */
  consume: (client: string, reply: FastifyReply) => Promise<void>
  /** Counts a request, and sets no headers unless the limit is exceeded. @throws ServiceError RATE_LIMITED */
  count: (client: string, reply: FastifyReply) => Promise<void>
}

/** @param name the name of the limit in RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10) */
export function createRateLimiter(name: string, { requests, seconds }: RateLimit): RateLimiter {
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds })

  /** When the limit is exceeded, the limiter throws its state. */
  const take = (client: string): Promise<RateLimiterRes> =>
    limiter.consume(client).catch((reason: unknown) => {
      if (reason instanceof RateLimiterRes) return reason
      throw reason
    })
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
