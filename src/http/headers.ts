import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Tells which writes a read has to see, if standbys answer reads; the value is opaque to clients. */
const CONSISTENCY_TOKEN = 'consistency-token'

export function readConsistencyToken({ headers }: FastifyRequest): string | undefined {
  const sent = headers[CONSISTENCY_TOKEN]
  return typeof sent === 'string' ? sent : undefined
}

/** @param token null: the answer has none */
export function sendConsistencyToken(reply: FastifyReply, token: string | null): void {
  if (token !== null) reply.header(CONSISTENCY_TOKEN, token)
}

/** What a GraphQL document costs, and what it may cost. @param cost 0: it was rejected before it could be measured */
export function sendQueryCost(reply: FastifyReply, cost: number, limit: number): void {
  reply.header('query-cost', `${cost}; max=${limit}`)
}

/**
 * All values of a request header, of which Node's `headers` has only the first. (`headersDistinct` would copy all headers.)
 * @param name in lower case
 */
export function valuesOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1]
    if (value !== undefined && rawHeaders[index]?.toLowerCase() === name) values.push(value)
  }
  return values
}

/** The response headers that scripts from other origins may read (Fetch, 3.3.2). */
export const EXPOSED_HEADERS = [
  'Consistency-Token',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'Query-Cost',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
]

/** Adds to the request headers that the response depends on (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, ...names: string[]): void {
  const present = reply.getHeader('vary')
  reply.header('vary', [...(present === undefined ? [] : [String(present)]), ...names].join(', '))
}
