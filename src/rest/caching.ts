import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fresh from 'fresh'
import { addVary } from '../http.ts'

/**
 * Lets a client keep what it has read, and ask whether it has changed (RFC 9110, 8.8.3 and 13.1.2): an ETag on every
 * successful read, and 304 when If-None-Match has it. Nobody but the holder of the key may keep it (RFC 9111, 5.2.2.7).
 */
export function addCaching(door: FastifyInstance): void {
  door.addHook('onSend', (request, reply, payload, done) => {
    reply.header('cache-control', 'private, no-cache')
    addVary(reply, 'Accept', 'Authorization')

    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') {
      done(null, payload)
      return
    }
    // Where the next page is belongs to what the answer says, though it stands in a header.
    const etag = `"${hash('sha1', `${String(reply.getHeader('link'))}\n${payload}`, 'base64url')}"`
    reply.header('etag', etag)
    // That header alone: Cache-Control in a request is for caches on the way.
    if (!fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag })) {
      done(null, payload)
      return
    }
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    // For HEAD, Fastify takes the length from the body, and sends none of it.
    done(null, request.method === 'HEAD' ? payload : null)
  })
}
