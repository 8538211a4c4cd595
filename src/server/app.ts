import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OpenCost } from '../base/open-cost.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { RequestData } from '../db/request-data.ts'
import { CompiledQueries } from '../graphql/compiled-queries.ts'
import { type GraphqlOptions, registerGraphqlRoutes } from '../graphql/graphql-routes.ts'
import type { Context } from '../graphql/schema/context.ts'
import type { TrustedDocuments } from '../graphql/trusted-documents.ts'
import { apiKeyOf, createApiKeyHooks, type RequireApiKey } from '../http/api-key-hook.ts'
import { allowOrigins } from '../http/cors.ts'
import { createFastify } from '../http/create-fastify.ts'
import { wantsLatest } from '../http/headers.ts'
import { OpenConnections } from '../http/connections/open-connections.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { outcomeOf } from '../http/request-outcome.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from '../http/known-paths.ts'
import { registerUnparsedRequests } from '../http/connections/unparsed-requests.ts'
import type { Authenticate } from '../keys/api-key.ts'
import type { Site } from '../pages/page.ts'
import { registerPages } from '../pages/page-routes.ts'
import { publishContract, readContract } from '../rest/contract.ts'
import { warnOfOverdue } from '../rest/deprecation.ts'
import { registerRestRoutes } from '../rest/rest-routes.ts'
import type { Telemetry } from '../telemetry/start-telemetry.ts'
import { registerHealthRoutes } from './health.ts'
import { homeContent, sampleTabs } from './resources.ts'
import { restOperations } from './rest-operations.ts'
import { schema } from './schema.ts'

interface AppDependencies {
  database: Database
  authenticate: Authenticate
  config: Omit<Config, 'host' | 'port' | 'database' | 'apiKeys' | 'shutdownDelay'>
  trustedDocuments: TrustedDocuments
  /** The secret of the demo's key that only reads, which its pages have; null: this is not the demo. */
  demoReadKey: string | null
  /** Receives the log, one line of JSON at a time. */
  log: { write(line: string): void }
  /** Absent: metrics and traces are off. */
  telemetry?: Telemetry | null
}

/** Both APIs on one Fastify instance, which does not listen yet. */
export async function buildApp(
  dependencies: AppDependencies,
): Promise<{ app: FastifyInstance; connections: OpenConnections }> {
  const { database, config, demoReadKey, telemetry = null } = dependencies
  const app = createFastify(config, dependencies.log, telemetry)
  const connections = new OpenConnections(app.server)
  connections.limit(app.log)
  registerUnparsedRequests(app, connections)
  await allowOrigins(app, config.corsOrigins)
  const queries = new CompiledQueries(schema, config.graphqlLimits)
  telemetry?.metrics?.observe({
    pool: () => database.pool,
    subscriptions: () => database.changes.size,
    compiledDocuments: () => queries.size,
    standbys: database.standbys,
  })
  if (telemetry?.metrics) app.log.info({ url: telemetry.metrics.url }, 'metrics are served')
  for (const warning of config.warnings) app.log.warn({ warning }, 'a variable is not understood')
  telemetry?.tracing?.onProblem((reason) => app.log.warn({ reason }, 'metrics or traces have a problem'))
  const access: Access = {
    requireApiKey: createRequireApiKey(app, dependencies),
    createContext: createContextFactory(database, demoReadKey !== null),
  }
  const site = await registerRest(app, dependencies, access)
  const { only } = config.trustedDocuments
  const graphqlOptions: GraphqlOptions = {
    schema,
    queries,
    ...access,
    graphiql: config.graphiql && { site, samples: sampleTabs },
    limits: config.graphqlLimits,
    trusted: {
      documents: dependencies.trustedDocuments,
      // On the demo, people may try their own documents.
      allowsOthers: (context) => !only || context.isDemoGraphiql,
      hidesSuggestions: only,
    },
  }
  await app.register(async (scope) => registerGraphqlRoutes(scope, graphqlOptions))
  registerHealthRoutes(app, database, connections)
  return { app, connections }
}

/** What the routes of both APIs need for each request. */
type Access = Pick<GraphqlOptions, 'requireApiKey' | 'createContext'>

function createRequireApiKey(
  app: FastifyInstance,
  { authenticate, config: { rateLimit, authFailureLimit } }: AppDependencies,
): RequireApiKey {
  return createApiKeyHooks(app, {
    authenticate,
    requests: rateLimit && createRateLimiter(rateLimit, { reportsRemaining: true }),
    failures: authFailureLimit && createRateLimiter(authFailureLimit, { reportsRemaining: false }),
  })
}

/** The REST API, and the pages about it. @returns what GraphiQL's page needs, too */
async function registerRest(
  app: FastifyInstance,
  { config: { servers, graphiql, trustedDocuments, removedOperations }, demoReadKey }: AppDependencies,
  access: Access,
): Promise<Site> {
  const contract = readContract()
  warnOfOverdue(contract.operations, removedOperations, app.log)
  const { production, staging } = servers
  // Where clients see /; empty: links have only a path.
  const origin = production?.replace(/\/v1$/, '') ?? ''
  const options = {
    contract,
    schema,
    operations: restOperations,
    removed: removedOperations,
    baseUrl: production ?? REST_PREFIX,
    docsUrl: `${origin}${DOCS_PATH}`,
    ...access,
  }
  await app.register(async (scope) => registerRestRoutes(scope, options), { prefix: REST_PREFIX })
  const addresses = { production, staging, graphiql: graphiql ? `${origin}${GRAPHQL_PATH}` : null }
  return registerPages(app, {
    contract: publishContract(contract, restOperations, addresses, removedOperations),
    content: homeContent,
    origin,
    graphiql,
    readKey: demoReadKey,
    // On the demo, pages may run documents that are not trusted.
    livePets: demoReadKey !== null || !trustedDocuments.only,
  })
}

/** Creates the context of each request, for both APIs. @param isDemo whether the server has made its own keys */
export function createContextFactory(database: Database, isDemo: boolean) {
  const openCost = new OpenCost()
  return (request: FastifyRequest, { raw: response }: FastifyReply): Context => {
    const apiKey = apiKeyOf(request)
    const target = database.standbys?.targetFor(apiKey, wantsLatest(request)) ?? database
    return {
      requestData: new RequestData(database, target, apiKey.name, response),
      response,
      openCost,
      apiKey,
      // GraphiQL sends this header with every request.
      isDemoGraphiql: isDemo && request.headers['x-graphiql'] === 'true',
      log: request.log,
      outcome: outcomeOf(request),
      requestId: request.id,
    }
  }
}
