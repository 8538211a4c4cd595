import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'

/** Stops a server without dropping requests. */
export interface GracefulShutdown {
  readonly isStarted: boolean
  /** Starts rejecting new requests with 503. Resolves when the requests in flight have been answered. */
  start: () => Promise<unknown>
}

/**
 * Counts the requests in flight, and rejects new ones once the shutdown has started.
 * @param exempt paths that still answer, because they report the state of the process
 */
export function installGracefulShutdown(app: FastifyInstance, exempt: readonly string[]): GracefulShutdown {
  let inFlight = 0
  let isStarted = false
  const { promise: finished, resolve: finish } = Promise.withResolvers<undefined>()
  const finishIfIdle = () => {
    if (isStarted && inFlight === 0) finish(undefined)
  }

  app.addHook('onRequest', (request, reply, done) => {
    inFlight += 1
    reply.raw.once('close', () => {
      inFlight -= 1
      finishIfIdle()
    })
    if (isStarted) reply.header('connection', 'close')
    const isRefused = isStarted && !exempt.includes(request.routeOptions.url ?? '')
    done(isRefused ? new ServiceError('SHUTTING_DOWN') : undefined)
  })

  return {
    get isStarted() {
      return isStarted
    },
    start() {
      isStarted = true
      finishIfIdle()
      return finished
    },
  }
}
