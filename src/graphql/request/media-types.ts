/** What a client accepts as a response to a GraphQL request (GraphQL over HTTP, "Media types"). */
import { ServiceError } from '../../base/service-error.ts'
import { acceptedTypes } from '../../http/headers.ts'

/** The media types of a result, the default first. */
export const RESULT_TYPES = ['application/json', 'application/graphql-response+json'] as const
export const EVENT_STREAM = 'text/event-stream'
/** The media type of Apollo's protocol for subscriptions. */
export const MULTIPART = 'multipart/mixed'
const RESPONSE_TYPES = [...RESULT_TYPES, EVENT_STREAM, MULTIPART]

/** In an Accept header; without the parameter, clients expect incremental delivery. */
const APOLLO = /multipart\/mixed(?=[^,]*;\s*subscriptionSpec\s*=\s*"?1\.0"?\s*(;|,|$))/i

/** The types that a client accepts, best first. @throws ServiceError NOT_ACCEPTABLE */
export function readAccept(accept = '*/*'): readonly string[] {
  const types = acceptedTypes(accept, RESPONSE_TYPES).filter(
    (type) => type !== MULTIPART || APOLLO.test(accept),
  )
  if (types.length === 0) throw notAcceptable()
  return types
}

export function notAcceptable(): ServiceError {
  return new ServiceError(
    'NOT_ACCEPTABLE',
    'Results are sent as application/json, application/graphql-response+json, text/event-stream or ' +
      'multipart/mixed;subscriptionSpec=1.0, those of subscriptions as one of the last two. The Accept header excludes them.',
  )
}
