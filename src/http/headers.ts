import type { FastifyReply } from 'fastify'

/** The response headers that scripts from other origins may read (Fetch, 3.3.2). */
export const EXPOSED_HEADERS = [
  'Deprecation',
  'ETag',
  'Link',
  'Location',
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
