import type { FastifyInstance } from 'fastify'
import type { Observe } from '../base/observation.ts'
import type { Config } from '../config/config.ts'
import { countConnections } from '../config/database-config.ts'
import type { Database } from '../db/database.ts'
import { Turns } from '../base/turns.ts'
import { Documents } from '../graphql/documents/documents.ts'
import type { GraphqlService } from '../graphql/graphql-service.ts'
import { registerGraphqlRoutes, registerSdl } from '../graphql/graphql-routes.ts'
import { Subscriptions } from '../graphql/live/subscriptions.ts'
import type { TrustedDocuments } from '../graphql/documents/trusted-documents.ts'
import { GracefulShutdown } from '../http/connections/graceful-shutdown.ts'
import { OpenConnections } from '../http/connections/open-connections.ts'
import { limitByOpenFiles } from '../http/connections/open-files-limit.ts'
import { allowOrigins } from '../http/cors.ts'
import { createFastify } from '../http/create-fastify.ts'
import { petOperations } from '../pets/rest.ts'
import type { RestOperations } from '../rest/rest-operation.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from '../http/known-paths.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import type { AccessControl } from '../http/request-checks.ts'
import type { Authenticate } from '../keys/api-key.ts'
import { createGraphiqlPage } from '../pages/graphiql-page.ts'
import { registerPages } from '../pages/page-routes.ts'
import { linkEquivalents, publishContract, readContract } from '../rest/contract.ts'
import { reportOverdue } from '../rest/deprecation.ts'
import { registerRestRoutes } from '../rest/rest-routes.ts'
import type { Telemetry } from '../telemetry/start-telemetry.ts'
import { registerHealthRoutes } from './health.ts'
import { createContextFactory } from './request-context.ts'
import { homeContent, sampleTabs } from './resources.ts'
import { schema } from './schema.ts'

/** The operations of the contract. One that is missing here does not compile. */
export const restOperations: RestOperations = { ...petOperations }

interface AppDependencies {
  database: Database
  authenticate: Authenticate
  config: Config
  trustedDocuments: TrustedDocuments
  /** The secret of the demo's read-only key, which its pages have; null: this is not the demo. */
  demoReadKey: string | null
  /** Receives the log, one line of JSON at a time. */
  log: { write(line: string): void }
  /** Absent: metrics and traces are off. */
  telemetry?: Telemetry | null
}

/** Everything that is served, on one Fastify instance, which does not listen yet. */
export async function buildApp(
  dependencies: AppDependencies,
): Promise<{ app: FastifyInstance; shutdown: GracefulShutdown }> {
  const { database, authenticate, config, demoReadKey, telemetry = null } = dependencies
  const { rateLimit, authFailureLimit, graphiql, graphqlLimits, removedOperations: removed } = config
  const app = createFastify(config, dependencies.log, telemetry)
  const { observe } = app
  for (const warning of config.warnings) observe({ type: 'variable invalid', warning })
  const connections = new OpenConnections(app.server, observe)
  const shutdown = new GracefulShutdown(app.server, connections)
  limitByOpenFiles(app.server, countConnections(config.database), observe)
  const contract = readContract()
  // GraphQL has GET and POST.
  const methods = new Set(['GET', 'POST', ...contract.operations.map(({ method }) => method)])
  await allowOrigins(app, config.corsOrigins, methods)
  const access: AccessControl = {
    authenticate,
    requests: rateLimit && createRateLimiter(rateLimit, { reportsRemaining: true }),
    failures: authFailureLimit && createRateLimiter(authFailureLimit, { reportsRemaining: false }),
  }
  const createContext = createContextFactory(database)

  reportOverdue(contract.operations, removed, observe)
  const { production, staging } = config.servers
  // The address of / for clients; empty: it is not configured, and links are paths.
  const origin = production?.replace(/\/v1$/, '') ?? ''
  const restOptions = {
    contract,
    graphqlSchema: schema,
    operations: restOperations,
    removed,
    baseUrl: production ?? REST_PREFIX,
    docsUrl: `${origin}${DOCS_PATH}`,
    access,
    createContext,
  }
  await app.register(async (scope) => registerRestRoutes(scope, restOptions), { prefix: REST_PREFIX })

  const addresses = { production, staging, graphiql: graphiql && origin ? `${origin}${GRAPHQL_PATH}` : null }
  const site = { graphiql, readKey: demoReadKey }
  registerPages(app, {
    site,
    contract: publishContract(contract, restOperations, addresses, removed),
    equivalents: graphiql ? linkEquivalents(restOperations, `.${GRAPHQL_PATH}`) : {},
    content: homeContent,
    origin,
    livePets: !config.trustedDocuments.only,
  })

  const trusted = { documents: dependencies.trustedDocuments, only: config.trustedDocuments.only }
  const documentOptions = { schema, limits: graphqlLimits, hidesNames: trusted.only }
  const graphql = {
    ...documentOptions,
    trusted,
    documents: new Documents(documentOptions),
    subscriptions: new Subscriptions(),
    turns: new Turns(),
    access,
    createContext,
    sendGraphiql: graphiql && createGraphiqlPage({ site, samples: sampleTabs }),
  }
  await app.register(async (scope) => registerGraphqlRoutes(scope, graphql))
  registerSdl(app, { schema, access })
  registerHealthRoutes(app, database, shutdown)
  if (telemetry) connectTelemetry(telemetry, observe, database, graphql)
  return { app, shutdown }
}

/** Lets metrics read what they show at each scrape, and traces say what is wrong. */
function connectTelemetry(
  { metrics, tracing }: Telemetry,
  observe: Observe,
  database: Database,
  { documents, subscriptions }: Pick<GraphqlService, 'documents' | 'subscriptions'>,
): void {
  metrics?.readAtScrape({
    pool: () => database.pool,
    subscriptions: () => subscriptions.size,
    compiledDocuments: () => documents.compiledCount,
    standbys: database.standbys,
  })
  if (metrics) observe({ type: 'metrics served', url: metrics.url })
  tracing?.observe(observe)
}
