import { isIPv6 } from 'node:net'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { RateLimit } from '../config/env.ts'
import { ServiceError } from '../base/service-error.ts'

export type RateLimiter = ReturnType<typeof createRateLimiter>

/** Counts requests for all servers together. */
interface SharedCounts {
  /** Counts a request of a key. @returns the requests of the period so far @throws any error if they cannot be counted now */
  count(key: string, seconds: number): Promise<{ requests: number; msLeft: number }>
}

interface Period {
  /** The requests of the period so far. */
  requests: number
  /** When the period ends, in the time of performance.now. */
  end: number
}

type Count = (client: string) => Period | Promise<Period>

/**
 * Counts the requests of each client.
 * @param name the name of the limit in RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10)
 * @param shared counts for all servers; null: every process counts for itself
 */
export function createRateLimiter(name: string, limit: RateLimit, shared: SharedCounts | null = null) {
  const { requests: most, seconds } = limit
  const count: Count = shared ? countShared(shared, name, limit) : countInMemory(limit)
  const secondsLeft = ({ end }: Period) => Math.ceil((end - performance.now()) / 1000)
  const throwIfExceeded = (period: Period, reply: FastifyReply): void => {
    if (period.requests <= most) return
    reply.header('retry-after', secondsLeft(period))
    throw new ServiceError('RATE_LIMITED')
  }
  return {
    /** Counts a request, and sets the headers that report what is left. @throws ServiceError RATE_LIMITED */
    async consume(client: string, reply: FastifyReply): Promise<void> {
      const period = await count(client)
      reply.header('ratelimit-policy', `"${name}";q=${most};w=${seconds}`)
      reply.header('ratelimit', `"${name}";r=${Math.max(0, most - period.requests)};t=${secondsLeft(period)}`)
      throwIfExceeded(period, reply)
    },
    /** Counts a request, and sets no headers unless the limit is exceeded. @throws ServiceError RATE_LIMITED */
    async count(client: string, reply: FastifyReply): Promise<void> {
      throwIfExceeded(await count(client), reply)
    },
  }
}

/**
 * The network that one client has: of an IPv6 address, the first 64 bits, since a client may choose the others (RFC 4291, 2.5.1).
 * @returns an IPv4 address as it is, also one that is written as an IPv6 address
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [first = [], last = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  const groups = [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::/64`
}

function countInMemory({ seconds }: RateLimit): (client: string) => Period {
  /** In the order in which they end, since all are equally long. */
  const periods = new Map<string, Period>()
  return (client) => {
    const now = performance.now()
    for (const [ended, { end }] of periods) {
      if (end > now) break
      periods.delete(ended)
    }
    const period = periods.get(client) ?? { requests: 0, end: now + seconds * 1000 }
    period.requests += 1
    periods.set(client, period)
    return period
  }
}

/** The maximum number of clients over the limit that are remembered. */
const MAX_EXCEEDED = 10_000

/** What the database cannot count is counted in memory. */
function countShared(shared: SharedCounts, name: string, limit: RateLimit): Count {
  const { requests: most, seconds } = limit
  const countHere = countInMemory(limit)
  /** The periods of clients over the limit: until they end, they need not be counted. */
  const exceeded = new LRUCache<string, Period>({ max: MAX_EXCEEDED })

  return async (client) => {
    // A changed limit starts a new count.
    const key = `${name} ${most}/${seconds}:${client}`
    const known = exceeded.get(key)
    if (known && known.end > performance.now()) return known
    try {
      const { requests, msLeft } = await shared.count(key, seconds)
      const period = { requests, end: performance.now() + msLeft }
      if (requests > most) exceeded.set(key, period)
      return period
    } catch {
      return countHere(client)
    }
  }
}
