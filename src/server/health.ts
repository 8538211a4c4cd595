import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { waitAtMost } from '../base/time-limit.ts'
import type { Database } from '../db/database.ts'
import type { GracefulShutdown } from '../http/connections/graceful-shutdown.ts'
import { HEALTH_PATH, READINESS_PATH } from '../http/known-paths.ts'
import { registerPublicRoute } from '../http/methods.ts'

/** Milliseconds within which the database has to answer for the server to be ready. */
const ANSWER_LIMIT_MS = 1_500

/** Whether the process is alive, and whether it can serve: it reaches its database, and has not been told to stop. */
export function registerHealthRoutes(
  app: FastifyInstance,
  database: Pick<Database, 'check'>,
  shutdown: Pick<GracefulShutdown, 'hasBegun'>,
): void {
  registerPublicRoute(app, HEALTH_PATH, async () => ({ status: 'ok' }))
  registerPublicRoute(app, READINESS_PATH, async () => {
    if (shutdown.hasBegun) throw new ServiceError('SHUTTING_DOWN')
    // A load balancer gives up waiting long before a silent database counts as lost.
    const state = (await waitAtMost(ANSWER_LIMIT_MS, stateOf(database))) ?? 'silent'
    if (state === 'silent')
      throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: 'the database is silent' })
    // Reads go on, so the server stays ready.
    return { status: 'ready', ...(state === 'read-only' && { database: state }) }
  })
}

/** An overloaded server stays ready: without it, the other servers would be overloaded, too. @throws ServiceError if there is no database */
async function stateOf(database: Pick<Database, 'check'>): Promise<'writable' | 'read-only' | 'overloaded'> {
  try {
    const { isReadOnly } = await database.check()
    return isReadOnly ? 'read-only' : 'writable'
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'OVERLOADED') return 'overloaded'
    throw error
  }
}
