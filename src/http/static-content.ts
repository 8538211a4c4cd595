import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasCurrent } from './etag.ts'
import { acceptsCoding, addVary } from './headers.ts'

/** The content codings, best first. */
const CODINGS = ['br', 'gzip'] as const
type Coding = (typeof CODINGS)[number]

const compressGzip = promisify<Buffer, Buffer>(gzip)
const decompressBrotli = promisify<Buffer, Buffer>(brotliDecompress)

/** @param quality 5 is fast; 9 saves a twentieth more, and takes five times as long; 11 takes minutes for a large script */
export function compressBrotli(content: Buffer, quality = 5): Promise<Buffer> {
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
}

/** A digest of content, which is safe in a URL. */
export function hashContent(content: Buffer): string {
  return hash('sha256', content, 'base64url').slice(0, 16)
}

/** Content that was compressed before the server started. */
export interface CompressedContent {
  /** The digest of the uncompressed content. */
  hash: string
  /** Reads it, compressed by Brotli. */
  read: () => Promise<Buffer>
}

/** Content that stays the same while the server runs, compressed on first request. Answers share a buffer; each would copy a string. */
export class StaticContent {
  readonly hash: string
  readonly #type: string
  readonly #bytes: Record<Coding | 'identity', () => Promise<Buffer>>

  /** @param type the value of Content-Type */
  constructor(type: string, content: string | CompressedContent) {
    this.#type = type
    if (typeof content === 'string') {
      const bytes = Buffer.from(content)
      this.hash = hashContent(bytes)
      this.#bytes = {
        identity: () => Promise.resolve(bytes),
        br: loadOnce(() => compressBrotli(bytes)),
        gzip: loadOnce(() => compressGzip(bytes)),
      }
    } else {
      this.hash = content.hash
      const br = loadOnce(content.read)
      const decompress = async () => decompressBrotli(await br())
      this.#bytes = {
        identity: loadOnce(decompress),
        br,
        // For browsers, which accept Brotli only over TLS and from this machine.
        gzip: loadOnce(async () => compressGzip(await decompress())),
      }
    }
  }

  /** Sends it compressed if the client accepts that, 304 if the client has it, or 412. Each coding has its own ETag (RFC 9110, 8.8.3.3). */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const coding = CODINGS.find((name) => acceptsCoding(request.headers['accept-encoding'], name))
    const etag = `"${this.hash}${coding ? `-${coding}` : ''}"`
    addVary(reply, 'Accept-Encoding')
    const isKnown = hasCurrent(request.headers, etag)
    reply.header('etag', etag)
    if (isKnown) return reply.code(304).send()
    reply.type(this.#type)
    if (coding) reply.header('content-encoding', coding)
    return reply.send(await this.#bytes[coding ?? 'identity']())
  }
}

/** @returns a function that loads a value on its first call, and again only if that failed */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    if (loading) return loading
    loading = load()
    loading.catch(() => (loading = undefined))
    return loading
  }
}
