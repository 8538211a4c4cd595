import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Milliseconds between two pings, by which proxies and clients see that the stream is alive. */
const PING_INTERVAL_MS = 12_000

/** How the results of a subscription are written into its answer. */
export interface Framing {
  contentType: string
  begin: string
  /** What is around each result. */
  before: string
  after: string
  ping: string
  complete: string
}

const COMMENT = ':\n\n'

/** GraphQL over server-sent events, distinct connections. */
export const SERVER_SENT_EVENTS: Framing = {
  contentType: 'text/event-stream',
  begin: COMMENT,
  before: 'event: next\ndata: ',
  after: '\n\n',
  ping: COMMENT,
  complete: 'event: complete\ndata:\n\n',
}

const DELIMITER = '\r\n--graphql'
const PART = '\r\nContent-Type: application/json\r\n\r\n'
const EMPTY_PART = `${PART}{}${DELIMITER}`

/** Apollo's multipart protocol. A client reads a part when it has the delimiter after it, so that is sent at once, too. */
export const MULTIPART: Framing = {
  contentType: 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
  begin: DELIMITER + EMPTY_PART,
  before: `${PART}{"payload":`,
  after: `}${DELIMITER}`,
  ping: EMPTY_PART,
  complete: '--\r\n',
}

/** Whether an answer with this Content-Type is a stream of events. */
export function isEventStream(contentType: unknown): boolean {
  return contentType === SERVER_SENT_EVENTS.contentType || contentType === MULTIPART.contentType
}

interface EventStreamOptions {
  framing: Framing
}

/**
 * Sends events to one subscriber. The next event is written when the socket has taken the last one. A subscriber that takes none
 * loses its connection after the server's timeout.
 * @param response its headers have been written
 * @param events writes what is before each result, and the result except its end
 * @returns resolves when the stream has ended: with the events or the connection
 */
export async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<(before: string) => Buffer>,
  { framing }: EventStreamOptions,
): Promise<void> {
  response.write(framing.begin)
  // To a subscriber with unread data, pings would only add to that.
  const sendPing = () => response.writableLength === 0 && response.write(framing.ping)
  const ping = setInterval(sendPing, PING_INTERVAL_MS)
  response.once('close', () => clearInterval(ping))
  try {
    for await (const write of events) {
      if (response.closed || !(await writeEvent(response, write(framing.before), framing))) break
    }
  } finally {
    // An unexpected error ends the stream, too: otherwise it would stay open without events.
    if (!response.closed) response.end(framing.complete)
  }
}

/** @returns resolves when the socket has taken the event, or is closed: to whether it has taken it */
function writeEvent(response: ServerResponse, bytes: Buffer, { after }: Framing): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = () => resolve(false)
    response.once('close', onClose)
    response.cork()
    response.write(bytes)
    response.write(`}${after}`, (error) => {
      response.off('close', onClose)
      resolve(!error)
    })
    response.uncork()
  })
}

/** The stream of a subscription that could not begin: its errors. */
export function sendResult(response: ServerResponse, framing: Framing, result: object): void {
  const { begin, before, after, complete } = framing
  response.end(begin + before + JSON.stringify(result) + after + complete)
}

/** The longest traceparent header that is kept; a valid one of today has 55 characters. */
const MAX_TRACEPARENT = 200

/** Keeps nothing of a request for as long as its stream is open, apart from what the log says about it: headers may have 32 kB. */
export function releaseRequest(request: FastifyRequest): void {
  const { raw, ip } = request
  const { traceparent } = raw.headers
  const isKept = typeof traceparent === 'string' && traceparent.length <= MAX_TRACEPARENT
  // Fastify would read it from the headers of proxies.
  Object.defineProperty(request, 'ip', { value: ip })
  raw.headers = isKept ? { traceparent } : {}
  raw.rawHeaders = []
  raw.url = raw.url?.replace(/\?.*$/s, '')
  request.query = {}
  request.body = undefined
}
