/** The sockets to Postgres, which the driver is given ready to use. */
import { isIP, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { PostgresAddress, SslMode } from '../../config/database-url.ts'
import { FatalError } from './postgres-errors.ts'

/** Milliseconds that a connection may take until it can be used. */
const CONNECT_TIMEOUT_MS = 5_000
/** Milliseconds after which the socket of a connection that was closed here is closed, too. */
const LINGER_MS = 1_000

/** SSLRequest and CancelRequest (PostgreSQL manual, 54.7). */
const SSL_REQUEST = 80_877_103
const CANCEL_REQUEST = 80_877_102
/** How long a request to cancel may take, in milliseconds. */
const CANCEL_TIMEOUT_MS = 2_000

/**
 * A socket that connects when the driver asks for it, once: by default, the driver (postgres.js 3.4.9) reconnects in a busy loop if
 * the peer hangs up during the handshake (porsager/postgres#1193), and its TLS knows fewer modes than libpq.
 */
export class PostgresSocket {
  readonly #address: PostgresAddress
  readonly #socket = new Socket()
  #state: 'new' | 'connecting' | 'open' = 'new'
  #lastChunk: Buffer | undefined

  constructor(address: PostgresAddress) {
    this.#address = address
    // Whoever waits for the socket gets its errors, too; this only keeps them from ending the process when no one does.
    this.#socket.on('error', () => undefined)
  }

  /** Why Postgres has ended the connection: the driver tells that only at a few moments. null: it has not said */
  get fatalError(): FatalError | null {
    return this.#lastChunk ? findFatalError(this.#lastChunk) : null
  }

  /** @returns a stream that is ready for the startup message */
  async open(): Promise<Socket> {
    if (this.#state !== 'new') throw failure('CONNECTION_CLOSED', 'the connection was closed')
    this.#state = 'connecting'
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(failure('CONNECT_TIMEOUT', 'no connection in time')),
      CONNECT_TIMEOUT_MS,
    )
    try {
      const stream = await Promise.race([this.#connect(), late])
      this.#state = 'open'
      return stream.on('data', (chunk: Buffer) => (this.#lastChunk = chunk))
    } catch (error) {
      this.#socket.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Lets the driver say goodbye, whatever the peer does. The socket no longer keeps the process alive. */
  close(): void {
    const socket = this.#socket.unref()
    if (this.#state !== 'open') return void socket.destroy()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.once('close', () => clearTimeout(timer))
  }

  async #connect(): Promise<Socket> {
    const { host, port, socketPath, sslmode } = this.#address
    if (socketPath === undefined) this.#socket.connect(port, host)
    else this.#socket.connect(socketPath)
    await next(this.#socket, 'connect')
    return sslmode === 'disable' ? this.#socket : this.#encrypt(sslmode)
  }

  async #encrypt(sslmode: SslMode): Promise<Socket> {
    const socket = this.#socket
    const { host } = this.#address
    socket.write(toMessage(SSL_REQUEST))
    const answer = (await next(socket, 'data'))?.toString('latin1')
    if (answer === 'N' && (sslmode === 'allow' || sslmode === 'prefer')) return socket
    if (answer !== 'S') throw failure('ERR_TLS_UNSUPPORTED', 'the server does not support TLS')
    const stream = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: sslmode.startsWith('verify'),
      ...(sslmode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    })
    await next(stream, 'secureConnect')
    return stream.on('error', () => undefined)
  }
}

/** An error with a code, as the driver and Node make them. */
function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** Waits for an event, and rejects if the socket fails or is closed before. */
function next(socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(failure('CONNECTION_CLOSED', 'the connection was closed')))
  })
}

/** A message without a type, as it precedes the startup message: its length and integers. */
function toMessage(...integers: number[]): Buffer {
  const message = Buffer.alloc(4 * (integers.length + 1))
  ;[message.length, ...integers].forEach((value, index) => message.writeInt32BE(value | 0, index * 4))
  return message
}

/** @param chunk if Postgres has said why it closes the connection, ends with that ErrorResponse (PostgreSQL manual, 54.7) */
function findFatalError(chunk: Buffer): FatalError | null {
  let start = chunk.length
  while (start > 0) {
    start = chunk.lastIndexOf('E', start - 1)
    if (start < 0) break
    const isWhole = start + 5 <= chunk.length && start + 1 + chunk.readInt32BE(start + 1) === chunk.length
    if (!isWhole) continue
    const fields = chunk.toString('utf8', start + 5).split('\0')
    const [severity, code, message] = ['V', 'C', 'M'].map((type) =>
      fields.find((field) => field.startsWith(type))?.slice(1),
    )
    // What a pooler says itself has no V; Postgres has it since version 9.6.
    const isFatal = severity === undefined || severity === 'FATAL' || severity === 'PANIC'
    if (isFatal && code?.length === 5) return new FatalError(code, message ?? '')
  }
  return null
}

/**
 * Requests that a connection's statement in flight be cancelled; its error shows whether that happened. Unencrypted, as by libpq's
 * PQcancel. The driver's own cancel (postgres.js 3.4.9) ends the process if the request cannot be sent.
 * @param key what Postgres, or a pooler in its place, gave the connection for this
 */
export function requestCancel({ host, port }: PostgresAddress, key: { pid: number; secret: number }): void {
  const socket = new Socket()
  socket.on('error', () => socket.destroy())
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy())
  socket.connect(port, host, () => socket.write(toMessage(CANCEL_REQUEST, key.pid, key.secret)))
  // The other side answers by closing the connection. PgBouncer drops the request if we close it first.
  socket.resume()
}
