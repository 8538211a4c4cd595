import { createHash, hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isNotModified } from './preconditions.ts'

/**
 * Adds the ETag of a successful read, and answers 304 if the client has it already (RFC 9110, 8.8.3 and 13.1). For `onSend` hooks.
 * @param body null is returned instead of it if only the headers are sent
 * @param others what else the answer consists of
 * @throws ServiceError PRECONDITION_FAILED
 */
export function tagRead(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Buffer,
  others = '',
): string | Buffer | null {
  const etag = `"${digestOf(`${others}\n`, body)}"`
  const isKnown = isNotModified(request.headers, etag)
  reply.header('etag', etag)
  if (!isKnown) return body
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  // For HEAD, Fastify takes the length from the body but does not send it.
  return request.method === 'HEAD' ? body : null
}

/** Whether a payload is all of the body. */
export function isWhole(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload)
}

function digestOf(others: string, body: string | Buffer): string {
  // In one call for a short text, which is most of them: that takes half the time.
  if (typeof body === 'string') return hash('sha1', others + body, 'base64url')
  return createHash('sha1').update(others).update(body).digest('base64url')
}
