import type { FastifyInstance } from 'fastify'
import { isWhole, tagRead } from '../http/etag.ts'
import { addVary } from '../http/headers.ts'

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
    done(null, tagRead(request, reply, payload, String(reply.getHeader('link'))))
  })
}
