import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isNotModified } from './preconditions.ts'

/**
 * Adds the ETag of a successful read, and answers 304 if the client has it already (RFC 9110, 8.8.3 and 13.1). For `onSend` hooks.
 * @param text the body; null is returned instead of it if only the headers are sent
 * @param others what else the answer consists of
 * @throws ServiceError PRECONDITION_FAILED
 */
export function tagRead(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  others = '',
): string | null {
  const etag = `"${hash('sha1', `${others}\n${text}`, 'base64url')}"`
  const isKnown = isNotModified(request.headers, etag)
  reply.header('etag', etag)
  if (!isKnown) return text
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  // For HEAD, Fastify takes the length from the body but does not send it.
  return request.method === 'HEAD' ? text : null
}
