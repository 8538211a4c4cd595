import { createHash, hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { addVary } from '../http/headers.ts'
import { isNotModified } from '../http/preconditions.ts'

/**
 * Lets clients store what they read, and ask whether it has changed (RFC 9110, 8.8.3 and 13.1): an ETag on every successful read,
 * 304 if it matches If-None-Match, and 412 if it does not match If-Match. Only the holder of the key may store a response (RFC 9111, 5.2.2.7).
 */
export function registerETag(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('cache-control', 'private, no-cache')
    addVary(reply, 'Accept', 'Authorization')

    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || reply.statusCode !== 200 || !isWhole(payload)) {
      done(null, payload)
      return
    }
    // The URL of the next page is part of the result, although it is in a header.
    const etag = `"${digestOf(`${String(reply.getHeader('link'))}\n`, payload)}"`
    const isKnown = isNotModified(request.headers, etag)
    reply.header('etag', etag)
    if (!isKnown) {
      done(null, payload)
      return
    }
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    // For HEAD, Fastify takes the length from the body but does not send it.
    done(null, request.method === 'HEAD' ? payload : null)
  })
}

const isWhole = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload)

function digestOf(links: string, body: string | Buffer): string {
  // In one call for a short text, which is most of them: that takes half the time.
  if (typeof body === 'string') return hash('sha1', links + body, 'base64url')
  return createHash('sha1').update(links).update(body).digest('base64url')
}
