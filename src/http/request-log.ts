import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Additional fields for the request's log line; null: none. */
    logDetails: Record<string, unknown> | null
  }
}

/** The id of a request: the client's own if it is safe in a header and in a log. */
export function createRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[\w.:+/=-]{1,128}$/.test(sent) ? sent : randomUUID()
}

/** Logs one line per request, after the response. */
export function registerRequestLog(app: FastifyInstance): void {
  app.decorateRequest('logDetails', null)
  app.addHook('onResponse', (request, reply, done) => {
    // The route, not the URL, which may contain secrets.
    const { method, routeOptions, apiKey, logDetails } = request
    const { statusCode: status, elapsedTime } = reply
    const details = {
      method,
      route: routeOptions.url,
      status,
      ms: Math.round(elapsedTime),
      key: apiKey?.name,
      ...logDetails,
    }
    request.log.info(details, 'request')
    done()
  })
}
