import type { ApiKey } from '../../keys/api-key.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Observe } from '../../base/observation.ts'
import type { ClientResponse } from '../../base/client-response.ts'
import type { OpenCost } from '../../http/open-cost.ts'
import { createRecord, type RequestOutcome } from '../../http/request-record.ts'

/** The context of a request, which every resolver receives; the same for both APIs. */
export interface Context {
  requestData: RequestData
  response: ClientResponse
  apiKey: ApiKey
  requestId: string
  /** What the request adds to the log. */
  outcome: RequestOutcome
  /** The cost of all open requests. REST's routes hold theirs, `answer` that of a query or mutation; subscriptions have limits of their own. */
  openCost: OpenCost
  observe: Observe
}

/**
 * The context of the events of a group of subscriptions, which has the key and the id of the request that opened it. No log line and no metric
 * shows its outcome, since events belong to no one request; unexpected errors are logged all the same.
 */
export function forSubscribers(context: Context, subscribers: ClientResponse): Context {
  const requestData = context.requestData.withResponse(subscribers)
  return { ...context, response: subscribers, requestData, outcome: createRecord() }
}
