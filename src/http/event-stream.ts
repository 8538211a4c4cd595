/** How the results of a subscription are sent: by server-sent events, or Apollo's multipart protocol. */
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'

/** Milliseconds between two pings, by which proxies and clients see that the stream is alive. */
const PING_INTERVAL_MS = 12_000

/** What is around each result. */
export interface Framing {
  contentType: string
  begin: string
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

/**
 * Sends results to one subscriber, each when the socket has taken those before it.
 * @param response its headers have been written
 * @param toSent what is sent of a result
 * @returns resolves when the stream has ended: with the results, or with the connection
 */
export async function sendEvents<Result extends object>(
  response: ServerResponse,
  { begin, before, after, ping, complete }: Framing,
  results: AsyncIterable<Result> | Iterable<Result>,
  toSent: (result: Result) => object = (result) => result,
): Promise<void> {
  // To a subscriber with unread data, pings would only add to that.
  const pings = setInterval(() => response.writableLength === 0 && response.write(ping), PING_INTERVAL_MS)
  async function* write() {
    yield begin
    for await (const result of results) yield before + JSON.stringify(toSent(result)) + after
    yield complete
  }
  try {
    await pipeline(write, response)
  } catch (error) {
    const hasLeft = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (!hasLeft) throw error
  } finally {
    clearInterval(pings)
  }
}
