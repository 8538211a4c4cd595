import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { waitAtMost } from '../base/wait-at-most.ts'
import { type Database, ping } from '../db/database.ts'
import type { OpenConnections } from '../http/connections/open-connections.ts'
import { HEALTH_PATH, READINESS_PATH } from '../http/known-paths.ts'
import { registerPublicRoute } from '../http/methods.ts'

/** Milliseconds within which the database has to answer for the server to be ready. */
const ANSWER_LIMIT_MS = 1_500

/** Whether the process is alive, and whether it can serve: it reaches its database, and has not been told to stop. */
export function registerHealthRoutes(
  app: FastifyInstance,
  database: Database,
  connections: Pick<OpenConnections, 'isStopping'>,
): void {
  registerPublicRoute(app, HEALTH_PATH, async () => ({ status: 'ok' }))
  registerPublicRoute(app, READINESS_PATH, async () => {
    if (connections.isStopping) throw new ServiceError('SHUTTING_DOWN')
    // A load balancer gives up waiting long before a silent database counts as lost.
    const rows = await waitAtMost(ANSWER_LIMIT_MS, database.reserved.query(ping).catch(ignoreOverload))
    if (!rows) throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: 'the database is silent' })
    return { status: 'ready' }
  })
}

/** An overloaded server stays ready: without it, the other servers would be overloaded, too. */
function ignoreOverload(error: unknown): [] {
  if (error instanceof ServiceError && error.code === 'OVERLOADED') return []
  throw error
}
