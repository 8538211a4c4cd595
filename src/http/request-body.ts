import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/service-error.ts'

/** The maximum number of bytes in a request body, and so roughly in a name. */
const MAX_BYTES = 64 * 2 ** 10
const NOTHING: Buffer = Buffer.alloc(0)

/** Reads JSON bodies; other types are 415. @param parse throws nothing but ServiceErrors */
export function registerJsonBodies(app: FastifyInstance, parse: (body: Buffer) => unknown): void {
  app.addContentTypeParser('application/json', async (request: FastifyRequest) =>
    parse(await readBody(request)),
  )
}

/**
 * Reads a body into one buffer, which grows with it. Fastify's own parser keeps an object of some 100 bytes for each chunk, and a chunk
 * may have one byte.
 * @throws ServiceError PAYLOAD_TOO_LARGE, OVERLOADED; INVALID_REQUEST if the client leaves before its end
 */
function readBody({ raw, headers, memory }: FastifyRequest): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const announced = Number(headers['content-length'])
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
  const onData = (chunk: Buffer): void => {
    try {
      add(chunk)
    } catch (error) {
      // What is left of it is read and dropped.
      raw.off('data', onData)
      reject(error)
    }
  }
  if (announced > MAX_BYTES) throw new ServiceError('PAYLOAD_TOO_LARGE')
  raw.on('data', onData)
  raw.on('end', () => resolve(body.subarray(0, length)))
  raw.on('error', () => reject(new ServiceError('INVALID_REQUEST')))
  return promise
}

function enlarge(start: Buffer, chunk: Buffer, size: number): Buffer {
  // Not from Node's pool, of which a small buffer keeps 8 kB.
  const buffer = Buffer.allocUnsafeSlow(size)
  start.copy(buffer)
  chunk.copy(buffer, start.length)
  return buffer
}
