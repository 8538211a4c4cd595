/**
 * Workarounds for Node's HTTP server:
 *
 * - It has no limit for the requests of a connection: https://github.com/nodejs/node/issues/50850 (`limitReads`).
 * - It resets a connection whose client is still sending when the last response has been sent:
 *   https://github.com/nodejs/node/issues/12339 (`closeInStages`).
 * - It may forget some requests when their connection ends: https://github.com/nodejs/node/pull/62534 (`destroyResponses`).
 * - `close` cuts off responses and requests that are on their way: findings/node-close-cuts-responses.sh (`closeListener`).
 * - A closed socket may not know its address (`keepAddress`).
 * - A connection that is reset while Node is ending it is never closed: findings/node-reset-after-end.sh (`reset`).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, Socket } from 'node:net'

/** HTTPParser.kOnBody */
const ON_BODY = 3

/** What Node keeps on a socket of an HTTP server, and uses again for others. */
interface Parser {
  /** Called when the headers of a request are complete. @returns what llhttp does next */
  onIncoming: (request: IncomingMessage, keepAlive: boolean) => number
  /** Called for each chunk of a body; absent: they are skipped. */
  [ON_BODY]?: ((chunk: Buffer) => void) | undefined
}

/** Pauses llhttp, which Node reports as a `clientError`: HPE_PAUSED. */
const PAUSE = 21

/**
 * Limits what one read from a connection begins, which may hold many requests, or chunks of a body. Beyond the limits, and at a CONNECT
 * behind an open request, the connection is reset.
 * @param maxRequests with those that are open already, which `countOpen` returns
 */
export function limitReads(
  socket: Socket,
  { maxRequests, maxChunks }: { maxRequests: number; maxChunks: number },
  countOpen: () => number,
): void {
  const { parser } = socket as Socket & { parser?: Parser | null }
  if (!parser) return
  const { onIncoming, [ON_BODY]: onBody } = parser
  const restore = () => (parser[ON_BODY] = onBody)
  let [position, requests, chunks] = [-1, 0, 0]
  const startRead = () => {
    if (position === socket.bytesRead) return
    position = socket.bytesRead
    requests = countOpen()
    chunks = 0
  }
  parser.onIncoming = (request, keepAlive) => {
    startRead()
    // Nothing can be answered after the last response (RFC 9112, 9.6).
    if (socket.writableEnded || (requests += 1) > maxRequests) return PAUSE
    if (request.method === 'CONNECT') {
      // Node takes its listeners off the socket, so a response that is due would have no time limit.
      if (countOpen() > 0) reset(socket)
      // And the parser, which another connection gets.
      restore()
      socket.off('close', restore)
    }
    return onIncoming(request, keepAlive)
  }
  parser[ON_BODY] = function (this: Parser, chunk) {
    startRead()
    if ((chunks += 1) <= maxChunks) return onBody?.call(this, chunk)
    parser[ON_BODY] = undefined
    reset(socket)
  }
  socket.once('close', restore)
}

/** Resets a connection, so that the kernel keeps no bytes of it; closes it if Node is just ending it. */
export function reset(socket: Socket): void {
  const isEnding = socket.writableEnded && socket.writableLength === 0 && !socket.writableFinished
  if (isEnding) socket.destroy()
  else socket.resetAndDestroy()
}

/**
 * Closes a connection in stages (RFC 9112, 9.6) if its last response is sent before all of the request has arrived: sends no more, but
 * reads and drops the rest, until the time limit of a request has passed. Node would close it at once: a client that is still sending may
 * then never see the response, and a proxy takes the server for broken.
 * @param getRequest the request whose response has just been sent
 */
export function closeInStages(socket: Socket, getRequest: () => IncomingMessage | undefined): void {
  socket.destroySoon = () => {
    const request = getRequest()
    if (!request || request.complete) return Socket.prototype.destroySoon.call(socket)
    socket.end()
    request.once('close', () => socket.destroy())
  }
}

/** Destroys the responses of a closed connection. Those that still wait behind another may never emit `close` by themselves. */
export function destroyResponses(responses: readonly ServerResponse[]): void {
  for (const response of responses) response.destroy()
  // Later versions emit it now.
  setImmediate(() => {
    for (const response of responses) if (!response.closed) response.emit('close')
  })
}

/** Closes only the listener: `close` of an HTTP server also closes idle connections, even if a request is on its way. */
export function closeListener(server: Server, onClosed: () => void): void {
  NetServer.prototype.close.call(server, onClosed)
}

/** Keeps the address of a client for what is logged when the client has gone: a closed socket may not know it any more. */
export function keepAddress(socket: Socket): void {
  Object.defineProperty(socket, 'remoteAddress', { value: socket.remoteAddress })
}
