import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the line of the request says besides; null: nothing. */
    logDetails: Record<string, unknown> | null
  }
}

/** Names a request: a client's own name for it is taken over when it is safe to repeat in a header and in a log. */
export function identifyRequest({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:+/=-]{1,128}$/.test(given) ? given : randomUUID()
}

/** Writes one line a request, when it has been answered. */
export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('logDetails', null)
  app.addHook('onResponse', (request, reply, done) => {
    // The route, not the URL: what clients put into URLs may be secret.
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
