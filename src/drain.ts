import type { FastifyInstance } from 'fastify'
import { ServiceError } from './errors.ts'

/** How a server stops without dropping what it has begun. */
export interface Drain {
  readonly started: boolean
  /** Refuses new work with 503 from now on; resolves when what was under way is answered. */
  start: () => Promise<unknown>
}

/**
 * Counts the requests that are under way, and refuses new ones once draining has started.
 * @param exempt paths that are answered all the same, since they tell how the process is
 */
export function installDrain(app: FastifyInstance, exempt: readonly string[]): Drain {
  let underWay = 0
  let started = false
  const { promise: finished, resolve: finish } = Promise.withResolvers<undefined>()
  const finishIfIdle = () => {
    if (started && underWay === 0) finish(undefined)
  }

  app.addHook('onRequest', (request, reply, done) => {
    underWay += 1
    reply.raw.once('close', () => {
      underWay -= 1
      finishIfIdle()
    })
    if (started) reply.header('connection', 'close')
    const isRefused = started && !exempt.includes(request.routeOptions.url ?? '')
    done(isRefused ? new ServiceError('SHUTTING_DOWN') : undefined)
  })

  return {
    get started() {
      return started
    },
    start() {
      started = true
      finishIfIdle()
      return finished
    },
  }
}
