/** The media types of answers, and which of them a client accepts. */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../base/service-error.ts'
import { type Framing, MULTIPART, SERVER_SENT_EVENTS } from '../http/event-stream.ts'
import { acceptedTypes } from '../http/headers.ts'

const JSON_TYPE = 'application/json'
const RESPONSE_TYPE = 'application/graphql-response+json'

/** The media types of a result, the default first. */
export const RESULT_TYPES = [JSON_TYPE, RESPONSE_TYPE] as const
const STREAM_TYPE = SERVER_SENT_EVENTS.contentType
/** Stands for multipart/mixed with this parameter. Without it, clients expect incremental delivery. */
const MULTIPART_TYPE = 'x-multipart/subscription'
const MULTIPART_RANGE = /^\s*multipart\/mixed(?=.*;\s*subscriptionSpec\s*=\s*"?1\.0"?\s*(;|$))/i

/** Content-Type of GraphQL's own media type: only with it, a request error has a status of its own (GraphQL over HTTP, "Status codes"). */
export const GRAPHQL_RESPONSE = `${RESPONSE_TYPE}; charset=utf-8`

/** What a client accepts. */
interface Accepted {
  /** The Content-Type of a result; null: it has to be the only event of a stream. */
  resultType: string | null
  /** How events are written; null: not at all. */
  framing: Framing | null
}

/** By Accept header; a few clients send most requests. */
const known = new LRUCache<string, Accepted>({
  max: 100,
  maxSize: 16 * 2 ** 10,
  sizeCalculation: (_, accept) => accept.length + 1,
  memoMethod: negotiate,
})

/** @throws ServiceError NOT_ACCEPTABLE */
export function readAccept(accept = '*/*'): Accepted {
  return known.memo(accept)
}

function negotiate(accept: string): Accepted {
  const ranges = accept.split(',').map((range) => range.replace(MULTIPART_RANGE, MULTIPART_TYPE))
  const types = acceptedTypes(ranges.join(','), [...RESULT_TYPES, STREAM_TYPE, MULTIPART_TYPE])
  if (types.length === 0) throw notAcceptable()
  const resultType = types.find((type) => type === JSON_TYPE || type === RESPONSE_TYPE)
  const streamType = types.find((type) => type === STREAM_TYPE || type === MULTIPART_TYPE)
  return {
    resultType: resultType === undefined ? null : `${resultType}; charset=utf-8`,
    framing: streamType === undefined ? null : streamType === MULTIPART_TYPE ? MULTIPART : SERVER_SENT_EVENTS,
  }
}

export function notAcceptable(): ServiceError {
  return new ServiceError(
    'NOT_ACCEPTABLE',
    'Queries and mutations are answered as application/json or application/graphql-response+json, subscriptions as ' +
      'text/event-stream or multipart/mixed;subscriptionSpec=1.0. The Accept header excludes them.',
  )
}
