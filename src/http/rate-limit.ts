/** Limits the requests of each client within a period, which begins with its first request. Each server counts for itself. */
import { isIPv6, SocketAddress } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { RateLimit } from '../config/variable-parsers.ts'
import { ServiceError } from '../base/service-error.ts'

export interface RateLimiter {
  /** Counts a request. @throws ServiceError RATE_LIMITED; the reply has Retry-After then */
  count(client: string, reply: FastifyReply): void
}

interface Period {
  /** The requests of the period so far. */
  requests: number
  /** When the period ends, in the time of performance.now. */
  end: number
}

/** @param reportsRemaining whether each response says how many requests are left (draft-ietf-httpapi-ratelimit-headers-10) */
export function createRateLimiter(
  { requests: maximum, seconds }: RateLimit,
  { reportsRemaining }: { reportsRemaining: boolean },
): RateLimiter {
  /** In the order in which they end, since all are equally long. */
  const periods = new Map<string, Period>()
  const forgetEnded = (now: number) => {
    for (const [client, { end }] of periods) {
      if (end > now) return
      periods.delete(client)
    }
  }
  return {
    count(client, reply) {
      const now = performance.now()
      forgetEnded(now)
      const period = periods.get(client) ?? { requests: 0, end: now + seconds * 1000 }
      periods.set(client, period)
      period.requests += 1
      const secondsLeft = Math.ceil((period.end - now) / 1000)
      if (reportsRemaining) {
        reply.header('ratelimit-policy', `"requests";q=${maximum};w=${seconds}`)
        reply.header('ratelimit', `"requests";r=${Math.max(0, maximum - period.requests)};t=${secondsLeft}`)
      }
      if (period.requests <= maximum) return
      reply.header('retry-after', secondsLeft)
      throw new ServiceError('RATE_LIMITED')
    },
  }
}

/**
 * The network that one client has: of an IPv6 address, the first 64 bits, since a client may choose the others (RFC 4291, 2.5.1).
 * @returns an IPv4 address as it is, also one that is written as an IPv6 address
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  // One form of each address, without the zone: a client behind a proxy could write its own in several, and would count as several.
  const unzoned = address.replace(/%.*/, '')
  const { address: canonical } = new SocketAddress({ address: unzoned, family: 'ipv6' })
  const mapped = /^::ffff:([\d.]+)$/.exec(canonical)?.[1]
  if (mapped !== undefined) return mapped
  const [first = [], last = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`
}
