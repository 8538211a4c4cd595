/** ETags, and the preconditions that refer to them (RFC 9110, 8.8.3 and 13). */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { isEventStream, NO_STORE } from './headers.ts'
import { recordOf } from './request-record.ts'

/**
 * Adds an ETag to each response that a client may store, which its Cache-Control says; answers 304 if it matches If-None-Match, and 412 if it
 * does not match If-Match.
 */
export function registerETags(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isStorable(request, reply) || !(typeof payload === 'string' || Buffer.isBuffer(payload)))
      return done(null, payload)
    // The URL of the next page is part of the result, although it is in a header; another media type is another representation.
    const etag = tagOf(payload, [reply.getHeader('link') ?? '', reply.getHeader('content-type') ?? ''])
    const isKnown = evaluatePreconditions(request.headers, etag)
    reply.header('etag', etag)
    if (!isKnown) return done(null, payload)
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    // For HEAD, Fastify takes the length from the body but does not send it.
    done(null, request.method === 'HEAD' ? payload : null)
  })
}

/**
 * Whether a client may store the response. A GraphQL response may have errors with the status 200; files have an ETag of their own; an
 * event stream is never stored. After any other method, a 412 would come too late.
 */
function isStorable(request: FastifyRequest, reply: FastifyReply): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || reply.statusCode !== 200 || recordOf(request).errorCodes !== null) return false
  if (isEventStream(reply.getHeader('content-type'))) return false
  const cacheControl = reply.getHeader('cache-control')
  return cacheControl !== undefined && cacheControl !== NO_STORE && !reply.hasHeader('etag')
}

function tagOf(content: string | Buffer, others: readonly unknown[]): string {
  const digest = createHash('sha1')
    .update(`${others.join('\n')}\n`)
    .update(content)
    .digest('base64url')
  return `"${digest}"`
}

/**
 * Evaluates the preconditions of a read, in their order (RFC 9110, 13.2.2).
 * @param etag of the response, strong and without commas
 * @returns whether the client has the response already: 304 @throws ServiceError PRECONDITION_FAILED
 */
function evaluatePreconditions(headers: IncomingHttpHeaders, etag: string): boolean {
  const { 'if-match': required, 'if-none-match': known } = headers
  // By the strong comparison, which no weak tag passes (8.8.3.2); If-None-Match uses the weak one.
  if (required !== undefined && !lists(required, etag)) throw new ServiceError('PRECONDITION_FAILED')
  return known !== undefined && (lists(known, etag) || lists(known, `W/${etag}`))
}

/** Whether a list of tags contains one, or `*`. */
function lists(tags: string, etag: string): boolean {
  return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim() === etag)
}
