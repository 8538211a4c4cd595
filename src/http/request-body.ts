import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError, toError } from '../base/service-error.ts'

/** The maximum number of bytes in a request body, and so roughly in a name. */
const MAX_BYTES = 64 * 2 ** 10
const NOTHING: Buffer = Buffer.alloc(0)

/** Reads JSON bodies; other types are 415. @param parse throws nothing but ServiceErrors */
export function registerJsonBodies(app: FastifyInstance, parse: (body: Buffer) => unknown): void {
  app.addContentTypeParser('application/json', (request, _, done) => {
    if (isUtf8(request.headers['content-type'])) readBody(request, parse, done)
    else done(new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body in UTF-8.'))
  })
}

/** Whether a media type names no other charset. */
function isUtf8(type = ''): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? []
  return /^utf-?8$/i.test(charset)
}

/**
 * Reads a body into one buffer, which grows with it, and parses it. Fastify's own parser keeps an object of some 100 bytes for each
 * chunk, and a chunk may have one byte.
 * @param done gets the parsed body, or a ServiceError: PAYLOAD_TOO_LARGE, OVERLOADED, one that `parse` throws, or INVALID_REQUEST
 *   if the client leaves before the end
 */
function readBody(
  { raw, headers, memory }: FastifyRequest,
  parse: (body: Buffer) => unknown,
  done: (error: Error | null, parsed?: unknown) => void,
): void {
  const announced = Number(headers['content-length'])
  // The client may leave while a hook waits.
  if (raw.destroyed) return done(new ServiceError('INVALID_REQUEST'))
  if (announced > MAX_BYTES) return done(new ServiceError('PAYLOAD_TOO_LARGE'))
  let body = NOTHING
  let length = 0
  const add = (chunk: Buffer): void => {
    const end = length + chunk.length
    if (end > MAX_BYTES) throw new ServiceError('PAYLOAD_TOO_LARGE')
    if (end <= body.length) {
      chunk.copy(body, length)
    } else {
      // Most bodies arrive as one chunk.
      const size = length === 0 ? end : Math.max(end, Math.min(2 * length, MAX_BYTES))
      memory?.holdBody(size, end === announced)
      body = length === 0 ? chunk : enlarge(body.subarray(0, length), chunk, size)
    }
    length = end
  }
  const finish = (error: Error | null, parsed?: unknown): void => {
    // If the body has not ended, the rest is read and dropped.
    raw.off('data', onData).off('end', onEnd).off('error', onError)
    done(error, parsed)
  }
  const onData = (chunk: Buffer): void => {
    try {
      add(chunk)
    } catch (error) {
      finish(toError(error))
    }
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

function enlarge(start: Buffer, chunk: Buffer, size: number): Buffer {
  // Not from Node's pool, of which a small buffer keeps 8 kB.
  const buffer = Buffer.allocUnsafeSlow(size)
  start.copy(buffer)
  chunk.copy(buffer, start.length)
  return buffer
}
