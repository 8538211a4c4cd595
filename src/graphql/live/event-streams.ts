/** How events are written to a stream: as server-sent events, or by Apollo's multipart protocol. */
import { EVENT_STREAM, MULTIPART } from '../request/media-types.ts'

export interface StreamFormat {
  contentType: string
  /** The first bytes, without which some clients do not notice that the stream has begun. */
  start: string
  ping: string
  /** @param json an execution result */
  event(json: string): string
  end: string
}

/** https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md, "distinct connections mode" */
const SERVER_SENT_EVENTS: StreamFormat = {
  contentType: EVENT_STREAM,
  start: ':\n\n',
  ping: ':\n\n',
  event: (json) => `event: next\ndata: ${json}\n\n`,
  end: 'event: complete\ndata:\n\n',
}

const DELIMITER = '\r\n--graphql'
const PART = '\r\nContent-Type: application/json\r\n\r\n'
const EMPTY_PART = `${PART}{}${DELIMITER}`

/**
 * https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol
 * A client reads a part when it has the delimiter after it, so that is sent at once, too.
 */
export const MULTIPART_EVENTS: StreamFormat = {
  contentType: `${MULTIPART};boundary="graphql";subscriptionSpec=1.0`,
  start: DELIMITER + EMPTY_PART,
  ping: EMPTY_PART,
  event: (json) => `${PART}{"payload":${json}}${DELIMITER}`,
  // Turns the preceding delimiter into the last one.
  end: '--\r\n',
}

/** A response that has one result. */
export function writeMultipart(json: string): string {
  return DELIMITER + MULTIPART_EVENTS.event(json) + MULTIPART_EVENTS.end
}

/** @param accepted media types @returns null if they include no event stream; Apollo's clients accept only theirs */
export function chooseFormat(accepted: readonly string[]): StreamFormat | null {
  if (accepted.includes(MULTIPART)) return MULTIPART_EVENTS
  return accepted.includes(EVENT_STREAM) ? SERVER_SENT_EVENTS : null
}
