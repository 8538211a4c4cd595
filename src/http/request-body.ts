import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { toError } from '../base/thrown.ts'
import { ServiceError } from '../base/service-error.ts'
import { isLast } from './last-response.ts'

/** The maximum number of bytes in a request body. */
const MAX_BODY_BYTES = 64 * 2 ** 10

/** Reads JSON bodies; other types are 415. @param parse throws nothing but ServiceErrors */
export function registerJsonBodies(app: FastifyInstance, parse: (body: Buffer) => unknown): void {
  app.addContentTypeParser('application/json', (request, _, done) => {
    if (isUtf8(request.headers['content-type'])) readBody(request, parse, done)
    else done(new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body in UTF-8.'))
  })
  // Fastify says that it closes the connection after an error of a body, but a rest that comes is read and dropped, as after other errors.
  app.addHook('onError', (_request, reply, _error, done) => {
    if (reply.hasHeader('connection')) reply.header('connection', isLast(reply.raw) ? 'close' : 'keep-alive')
    done()
  })
}

/** Whether a media type names no other charset. */
function isUtf8(type = ''): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? []
  return /^utf-?8$/i.test(charset)
}

/**
 * Reads a body into one buffer, which grows with it, and parses it. Fastify's own parser keeps an object for each
 * piece.
 * @param done gets the parsed body, or a ServiceError: PAYLOAD_TOO_LARGE, one that `parse` throws, or INVALID_REQUEST if the client
 *   leaves before the end
 */
function readBody(
  { raw, headers }: FastifyRequest,
  parse: (body: Buffer) => unknown,
  done: (error: Error | null, parsed?: unknown) => void,
): void {
  // The client may leave while a hook waits.
  if (raw.destroyed) return done(new ServiceError('INVALID_REQUEST'))
  if (Number(headers['content-length']) > MAX_BODY_BYTES) return done(new ServiceError('PAYLOAD_TOO_LARGE'))
  let body: Buffer = Buffer.alloc(0)
  let length = 0
  const finish = (error: Error | null, parsed?: unknown): void => {
    // If the body has not ended, the rest is read and dropped.
    raw.off('data', onData).off('end', onEnd).off('error', onError)
    done(error, parsed)
  }
  const onData = (piece: Buffer): void => {
    if (length + piece.length > MAX_BODY_BYTES) return finish(new ServiceError('PAYLOAD_TOO_LARGE'))
    body = append(body, length, piece)
    length += piece.length
  }
  const onEnd = (): void => {
    let parsed: unknown
    try {
      parsed = parse(body.subarray(0, length))
    } catch (error) {
      return finish(toError(error))
    }
    finish(null, parsed)
  }
  const onError = () => finish(new ServiceError('INVALID_REQUEST'))
  raw.on('data', onData).on('end', onEnd).on('error', onError)
}

/** @param length how much of the buffer is used @returns a buffer that begins with that and the piece: the same one if it fits */
function append(buffer: Buffer, length: number, piece: Buffer): Buffer {
  // Most bodies arrive as one piece.
  if (length === 0) return piece
  const end = length + piece.length
  let target = buffer
  if (end > buffer.length) {
    // Not from Node's pool, which a small buffer would keep as a whole.
    target = Buffer.allocUnsafeSlow(Math.max(end, 2 * length))
    buffer.copy(target, 0, 0, length)
  }
  piece.copy(target, length)
  return target
}

/** Whether requests with a method have a body, which must then be JSON. The body of any other request is ignored. */
export function hasBody(method: string): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

/** Compressed bodies are not supported (RFC 9110, 8.4). @throws ServiceError UNSUPPORTED_MEDIA_TYPE */
export const requirePlainBody: onRequestHookHandler = ({ method, headers }, _, done) => {
  const { 'content-encoding': coding = 'identity' } = headers
  if (hasBody(method) && coding.toLowerCase() !== 'identity')
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.')
  done()
}
