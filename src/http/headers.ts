/** Headers that several routes read or send. */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Cache-Control of a response that is not stored. With any other, it may be, and gets an ETag if it is read by GET or HEAD (etag.ts). */
export const NO_STORE = 'no-store'
/** Cache-Control of a response that only its client may store, and has to ask for again each time (RFC 9111, 5.2.2.4 and 5.2.2.7). */
export const PRIVATE = 'private, no-cache'

/** The headers of every response, also of those that are written on a socket. What Fastify routes also gets Cache-Control. */
export function commonHeaders(requestId: string): Record<string, string> {
  // Browsers must not guess a media type other than the declared one (Fetch, 3.6).
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' }
}

/** The longest Accept header that is read, which bounds the time that the library takes. */
const MAX_ACCEPT_LENGTH = 1_000

/**
 * The media types that a client accepts, best first (RFC 9110, 12.5.1). An absent or empty header accepts all, an overlong one
 * nothing.
 * @param types the available ones, best first, without parameters
 */
export function acceptedTypes(accept: string | undefined, types: readonly string[]): string[] {
  if (!accept || accept === '*/*') return [...types]
  if (types.includes(accept)) return [accept]
  if (accept.length > MAX_ACCEPT_LENGTH) return []
  // Media range parameters such as charset do not matter; q does.
  const ranges = accept.replaceAll(/;\s*(?!q\s*=)[\w-]+\s*=\s*("[^"]*"|[^;,]*)/gi, '')
  return new Negotiator({ headers: { accept: ranges } }).mediaTypes([...types])
}

/** Whether a response with this Content-Type is a stream of events. */
export function isEventStream(contentType: unknown): boolean {
  return typeof contentType === 'string' && /^(text\/event-stream|multipart\/mixed)/.test(contentType)
}

/** Whether a browser asks for a page. @param others the media types that the path has besides, the default first */
export function wantsPage(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  others: readonly string[] = ['application/json'],
): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && acceptedTypes(headers.accept, [...others, 'text/html'])[0] === 'text/html'
}

/** Adds to the request headers that the response depends on (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, names: string): void {
  const present = reply.getHeader('vary')
  reply.header('vary', present === undefined ? names : `${String(present)}, ${names}`)
}

/** Whether a client asks for the latest state (RFC 9111, 5.2.1). */
export function wantsLatest({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /(^|[\s,])(no-cache|max-age=0)\s*(,|$)/i.test(headers['cache-control'] ?? '')
}

/** All values of a header, of which Node's `headers` has only the first (`headersDistinct` would copy all). @param name in lower case */
export function valuesOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1]
    if (value !== undefined && rawHeaders[index]?.toLowerCase() === name) values.push(value)
  }
  return values
}
