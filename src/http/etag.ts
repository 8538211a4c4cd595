/** ETags, and the preconditions that refer to them (RFC 9110, 8.8.3 and 13). */
import { createHash, hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { addVary } from './headers.ts'

/** Lets clients store what they read, and ask whether it has changed. Only the holder of the key may store it (RFC 9111, 5.2.2.7). */
export function registerETag(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('cache-control', 'private, no-cache')
    addVary(reply, 'Authorization')
    // The URL of the next page is part of the result, although it is in a header.
    done(null, answerConditionally(request, reply, payload, String(reply.getHeader('link') ?? '')))
  })
}

/**
 * Adds the ETag of a successful GET or HEAD; answers 304 if it matches If-None-Match, and 412 if it does not match If-Match. After any
 * other method it would be too late for 412. For `onSend` hooks: before them, Fastify would add a Content-Type to a 304.
 * @param others what else the answer consists of
 * @returns the payload; null if only the headers are sent @throws ServiceError PRECONDITION_FAILED
 */
export function answerConditionally(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  others = '',
): unknown {
  const isRead = ['GET', 'HEAD'].includes(request.method) && reply.statusCode === 200
  if (!isRead || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload
  if (!isNotModified(request, reply, tagOf(payload, others))) return payload
  reply.removeHeader('content-length')
  // For HEAD, Fastify takes the length from the body but does not send it.
  return request.method === 'HEAD' ? payload : null
}

/** Sends content that stays the same while the server runs with its ETag, or 304 or 412. @param reply with its Content-Type */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, content: Buffer): FastifyReply {
  return isNotModified(request, reply, tagOf(content)) ? reply.send() : reply.send(content)
}

function tagOf(content: string | Buffer, others = ''): string {
  // In one call for a short text, which is most of them: that takes half the time.
  const digest =
    typeof content === 'string'
      ? hash('sha1', `${others}\n${content}`, 'base64url')
      : createHash('sha1').update(`${others}\n`).update(content).digest('base64url')
  return `"${digest}"`
}

/** Adds an ETag, and makes the reply a 304 if the client has the answer already. @throws ServiceError PRECONDITION_FAILED */
function isNotModified({ headers }: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  const isKnown = evaluatePreconditions(headers, etag)
  reply.header('etag', etag)
  if (isKnown) reply.code(304).removeHeader('content-type')
  return isKnown
}

/**
 * Evaluates the preconditions of a read, in their order (RFC 9110, 13.2.2).
 * @param etag of the answer, strong and without commas
 * @returns whether the client has the answer already: 304 @throws ServiceError PRECONDITION_FAILED
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
