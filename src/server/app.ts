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
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from '../http/known-paths.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import type { AccessControl } from '../http/request-checks.ts'
import { assignToApi } from '../http/request-telemetry.ts'
import type { Authenticate } from '../keys/api-key.ts'
import { createGraphiqlPage } from '../pages/graphiql-page.ts'
import { withoutDocuments } from '../pages/home-page.ts'
import { registerPages } from '../pages/page-routes.ts'
import type { Site } from '../pages/render-page.ts'
import { type Contract, type ContractDocument, readContract } from '../rest/contract.ts'
import { reportOverdue } from '../rest/deprecation.ts'
import { linkEquivalents, publishContract, registerContract } from '../rest/published-contract.ts'
import { registerRestRoutes } from '../rest/rest-routes.ts'
import type { Telemetry } from '../telemetry/start-telemetry.ts'
import { registerHealthRoutes } from './health.ts'
import { createContextFactory } from './request-context.ts'
import { readHomeContent, readSampleTabs } from './resources.ts'
import { restOperations } from './rest-operations.ts'
import { schema } from './schema.ts'

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
  const { database, config, log, telemetry = null } = dependencies
  const app = createFastify(config, log, telemetry)
  for (const warning of config.warnings) app.observe({ type: 'variable invalid', warning })
  // Before the server listens, and after Fastify has added its listener for requests, which this replaces.
  const shutdown = protectConnections(app, config)
  const contract = readContract()
  // Before the scopes below, which inherit the hooks that are there when they are made.
  await allowOrigins(app, config.corsOrigins, methodsOf(contract))
  const shared = {
    contract,
    addresses: addressesOf(config),
    access: createAccessControl(dependencies),
    createContext: createContextFactory(database),
    site: { graphiql: config.graphiql, readKey: dependencies.demoReadKey },
  }
  await registerRest(app, config, shared)
  const graphql = await registerGraphql(app, dependencies, shared)
  registerSdl(app, schema, shared.access)
  const published = publish(config, shared)
  registerContract(app, published)
  registerSite(app, config, shared, published)
  registerHealthRoutes(app, database, shutdown)
  if (telemetry) connectTelemetry(telemetry, app.observe, database, graphql)
  return { app, shutdown }
}

/** What several parts use. */
interface Shared {
  contract: Contract
  addresses: Addresses
  access: AccessControl
  createContext: ReturnType<typeof createContextFactory>
  site: Site
}

function protectConnections({ server, observe }: FastifyInstance, { database }: Config): GracefulShutdown {
  limitByOpenFiles(server, countConnections(database), observe)
  return new GracefulShutdown(server, new OpenConnections(server, observe))
}

/** The methods of all paths: GraphQL has GET and POST. */
function methodsOf({ operations }: Contract): ReadonlySet<string> {
  return new Set(['GET', 'POST', ...operations.map(({ method }) => method)])
}

function createAccessControl({ authenticate, config }: AppDependencies): AccessControl {
  const { rateLimit, authFailureLimit } = config
  return {
    authenticate,
    requests: rateLimit && createRateLimiter(rateLimit, { reportsRemaining: true }),
    failures: authFailureLimit && createRateLimiter(authFailureLimit, { reportsRemaining: false }),
  }
}

/** The addresses of this server that it sends to clients: URLs if its own is configured, otherwise paths. */
interface Addresses {
  /** Of /, without a slash at the end; empty if it is not configured. */
  origin: string
  /** Of the REST API. */
  rest: string
  docs: string
  /** null: it is not served. */
  graphiql: string | null
}

/** The configured address is that of the REST API: it ends in REST_PREFIX. */
function addressesOf({ servers: { production }, graphiql }: Config): Addresses {
  const origin = production?.slice(0, -REST_PREFIX.length) ?? ''
  return {
    origin,
    rest: `${origin}${REST_PREFIX}`,
    docs: `${origin}${DOCS_PATH}`,
    graphiql: graphiql ? `${origin}${GRAPHQL_PATH}` : null,
  }
}

async function registerRest(
  app: FastifyInstance,
  config: Config,
  { contract, addresses, access, createContext }: Shared,
): Promise<void> {
  const { removedOperations: removed } = config
  reportOverdue(contract.operations, removed, app.observe)
  const options = {
    contract,
    graphqlSchema: schema,
    operations: restOperations,
    removed,
    baseUrl: addresses.rest,
    docsUrl: addresses.docs,
    access,
    createContext,
  }
  const routes = async (scope: FastifyInstance) => {
    assignToApi(scope, 'rest')
    registerRestRoutes(scope, options)
  }
  await app.register(routes, { prefix: REST_PREFIX })
}

async function registerGraphql(
  app: FastifyInstance,
  { config, trustedDocuments }: AppDependencies,
  { access, createContext, site }: Shared,
): Promise<GraphqlService> {
  const { graphqlLimits: limits, graphiql } = config
  const trusted = { documents: trustedDocuments, only: config.trustedDocuments.only }
  const settings = { schema, limits, hidesNames: trusted.only }
  const service = {
    ...settings,
    trusted,
    documents: new Documents(settings),
    subscriptions: new Subscriptions(),
    turns: new Turns(),
  }
  const sendGraphiql = graphiql && createGraphiqlPage(site, readSampleTabs())
  await app.register(async (scope) => {
    assignToApi(scope, 'graphql')
    registerGraphqlRoutes(scope, { service, createContext, sendGraphiql, access })
  })
  return service
}

/** The contract as this server publishes it. */
function publish({ servers, removedOperations }: Config, { contract, addresses }: Shared): ContractDocument {
  // Links of a contract are not relative.
  const graphiql = addresses.origin ? addresses.graphiql : null
  return publishContract(contract, restOperations, { ...servers, graphiql }, removedOperations)
}

/** The pages for people. @param contract as it is published */
function registerSite(
  app: FastifyInstance,
  { graphiql, trustedDocuments }: Config,
  { addresses, site }: Shared,
  contract: ContractDocument,
): void {
  const content = readHomeContent()
  registerPages(app, {
    site,
    contract,
    equivalents: graphiql ? linkEquivalents(restOperations, `.${GRAPHQL_PATH}`) : {},
    content: trustedDocuments.only ? withoutDocuments(content) : content,
    origin: addresses.origin,
  })
}

/** Lets metrics read what they show at each scrape, and both say what is wrong with them. */
function connectTelemetry(
  { metrics, tracing }: Telemetry,
  observe: Observe,
  database: Database,
  { documents, subscriptions }: Pick<GraphqlService, 'documents' | 'subscriptions'>,
): void {
  metrics?.readAtScrape({
    pool: () => database.poolUsage,
    subscriptions: () => subscriptions.size,
    compiledDocuments: () => documents.compiledCount,
    standbys: database.standbys,
  })
  if (metrics) observe({ type: 'metrics served', url: metrics.url })
  for (const part of [metrics, tracing]) part?.reportProblems(observe)
}
