/**
 * Workarounds for Node's HTTP server, as of Node 24.21. test/network/workarounds/node.test.ts has a test of each fault, which fails when that
 * has been mended. The exceptions are a limit that Node does not have (`countChunks`), and a race (`reset`), which only its script shows.
 *
 * - It parses all that it has read, even if the connection has been reset: https://github.com/nodejs/node/issues/50850
 *   (`stopParserOnReset`). Nor does it limit how many chunks a body has (`countChunks`).
 * - It resets a connection whose client is still sending when the last response has been sent:
 *   https://github.com/nodejs/node/issues/12339 (`closeInStages`).
 * - It forgets requests behind another one when their connection ends: https://github.com/nodejs/node/pull/62534, which leaves CONNECT as
 *   it was (`closeResponses`).
 * - `close` cuts off responses and requests that are on their way: findings/node-close-cuts-responses.sh (`closeListener`).
 * - A closed socket may not know its address, as the documentation of `remoteAddress` says (`keepAddress`).
 * - A connection that is reset while Node is ending it is never closed: findings/node-reset-after-end.sh (`reset`).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, Socket } from 'node:net'

/** What Node keeps on a socket of an HTTP server: not documented (lib/_http_server.js). Each connection gets a function of its own. */
interface SocketWithParser extends Socket {
  parser?: {
    /** Called when the headers of a request are complete. @returns what llhttp does next */
    onIncoming?: ((request: IncomingMessage, keepAlive: boolean) => number) | null
  } | null
}

/** Pauses llhttp, which Node reports as a `clientError`: HPE_PAUSED. */
const PAUSE = 21

/** Stops parsing at the next request once the socket has been destroyed: one read may hold thousands of requests. */
export function stopParserOnReset(socket: SocketWithParser): void {
  const { parser } = socket
  const onIncoming = parser?.onIncoming
  if (!onIncoming) return
  parser.onIncoming = (request, keepAlive) => {
    const next = onIncoming(request, keepAlive)
    return socket.destroyed ? PAUSE : next
  }
}

/**
 * Lets the chunks of a body be counted as they are parsed: one read may hold thousands, and each is an object. Node's parser calls `push` of
 * the request for each, and at the end with null (lib/_http_common.js).
 * @param onChunk called at each chunk. @returns whether it is kept
 */
export function countChunks(response: ServerResponse, onChunk: () => boolean): void {
  const { req } = response
  // Node drops what comes after the response before it is counted, unless reading has begun.
  req.read(0)
  response.once('close', () => req.resume())
  const push = req.push.bind(req)
  req.push = (chunk: unknown, encoding) => (chunk === null || onChunk()) && push(chunk, encoding)
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

/** Closes the responses of a closed connection. Node may not emit `close` for those that wait behind another. */
export function closeResponses(responses: readonly ServerResponse[]): void {
  const open = [...responses]
  for (const response of open) response.destroy()
  // By then, Node has emitted it for those that it knows.
  setImmediate(() => {
    for (const response of open) if (!response.closed) response.emit('close')
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
