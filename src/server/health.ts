import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { type Database, ping } from '../db/database.ts'
import type { OpenConnections } from '../http/connections/open-connections.ts'
import { HEALTH_PATH, READINESS_PATH, registerPublicRoute } from '../http/known-paths.ts'

/** Whether the process is alive, and whether it can serve: it reaches its database, and has not been told to stop. */
export function registerHealthRoutes(
  app: FastifyInstance,
  database: Database,
  connections: Pick<OpenConnections, 'isStopping'>,
): void {
  registerPublicRoute(app, HEALTH_PATH, async () => ({ status: 'ok' }))
  registerPublicRoute(app, READINESS_PATH, async () => {
    if (connections.isStopping) throw new ServiceError('SHUTTING_DOWN')
    await database.query(ping)
    return { status: 'ready' }
  })
}
