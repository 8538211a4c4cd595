import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from './config-values.ts'
import { ServiceError } from './errors.ts'

/** Counts what one caller does; in this process, so that each replica has a count of its own. */
export interface RateLimiter {
  /** Counts one request, and says on the reply what is left. @throws ServiceError RATE_LIMITED */
  consume: (caller: string, reply: FastifyReply) => Promise<void>
  /** Counts one request, and says nothing as long as something is left. @throws ServiceError RATE_LIMITED */
  count: (caller: string, reply: FastifyReply) => Promise<void>
}

/** @param name what the limit is called in RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10) */
export function createRateLimiter(name: string, { requests, seconds }: RateLimit): RateLimiter {
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds })

  /** Beyond the limit the limiter throws how things are. */
  const take = (caller: string): Promise<RateLimiterRes> =>
    limiter.consume(caller).catch((reason: unknown) => {
      if (reason instanceof RateLimiterRes) return reason
      throw reason
    })
  const refuseBeyond = (state: RateLimiterRes, reply: FastifyReply): void => {
    if (state.consumedPoints <= requests) return
    reply.header('retry-after', Math.ceil(state.msBeforeNext / 1000))
    throw new ServiceError('RATE_LIMITED')
  }

  return {
    async consume(caller, reply) {
      const state = await take(caller)
      const left = Math.max(0, requests - state.consumedPoints)
      reply.header('ratelimit-policy', `"${name}";q=${requests};w=${seconds}`)
      reply.header('ratelimit', `"${name}";r=${left};t=${Math.ceil(state.msBeforeNext / 1000)}`)
      refuseBeyond(state, reply)
    },
    async count(caller, reply) {
      refuseBeyond(await take(caller), reply)
    },
  }
}
