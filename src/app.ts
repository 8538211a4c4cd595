import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Authenticate } from './auth.ts'
import type { Config } from './config.ts'
import { type Database, pingDatabase } from './db/database.ts'
import { SharedRequestCounts } from './db/shared-request-counts.ts'
import { ServiceError } from './errors.ts'
import { registerGraphqlRoutes } from './graphql/routes.ts'
import { schema } from './graphql/schema/schema.ts'
import type { TrustedDocuments } from './graphql/trusted-documents.ts'
import { createApiKeyHooks } from './http/api-key-hook.ts'
import { sendError } from './http/errors.ts'
import { GracefulShutdown } from './http/graceful-shutdown.ts'
import { EXPOSED_HEADERS } from './http/headers.ts'
import { registerPublicRoute } from './http/methods.ts'
import { OpenConnections } from './http/open-connections.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from './http/paths.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import { MAX_TARGET, registerRequestChecks } from './http/request-checks.ts'
import { createRequestId, registerRequestLog } from './http/request-log.ts'
import { trustProxies } from './http/trusted-proxies.ts'
import { registerUnparsedRequests } from './http/unparsed-requests.ts'
import { contextFactory } from './request-context.ts'
import { readContract } from './rest/contract.ts'
import { registerDocsPage } from './rest/docs-page.ts'
import { publishContract } from './rest/published-contract.ts'
import { registerRestRoutes } from './rest/routes.ts'

export interface AppDependencies {
  database: Database
  authenticate: Authenticate
  config: Omit<Config, 'host' | 'port' | 'database' | 'apiKeys' | 'shutdownDelay'>
  trustedDocuments: TrustedDocuments
  /** The secret of the demo key, which GraphiQL fills in; null if there is none. */
  demoSecret: string | null
  /** Receives the log, one line of JSON at a time. */
  log: { write(line: string): void }
}

/** The most bytes in a request body, and so roughly in a name. */
const BODY_LIMIT = 64 * 1024

/** Both APIs on one Fastify instance, which does not listen yet. */
export async function buildApp(
  dependencies: AppDependencies,
): Promise<{ app: FastifyInstance; shutdown: GracefulShutdown }> {
  const app = createFastify(dependencies)
  const connections = new OpenConnections(app.server)
  registerUnparsedRequests(app, connections)
  registerRequestChecks(app)
  const { corsOrigins } = dependencies.config
  if (corsOrigins.length > 0) {
    // Preflights are answered together with other OPTIONS requests.
    await app.register(cors, { origin: corsOrigins, preflight: false, exposedHeaders: EXPOSED_HEADERS })
  }
  const shutdown = new GracefulShutdown(app, connections)
  registerRequestLog(app)
  await registerApis(app, dependencies)
  registerHealthRoutes(app, dependencies.database, shutdown)
  return { app, shutdown }
}

function createFastify({ config, log }: AppDependencies): FastifyInstance {
  return Fastify({
    logger: { level: config.logLevel, stream: log },
    // registerRequestLog writes one line per request instead.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestId,
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustProxy && trustProxies(config.trustProxy),
    // Limits slow clients to 5 s for the headers and 10 s for the whole request, checked every second, and to 30 s without taking
    // any of the answer: Node waits twice this long once it has sent a part.
    requestTimeout: 10_000,
    connectionTimeout: 15_000,
    http: {
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      // The total size of all headers.
      maxHeaderSize: 2 * MAX_TARGET,
    },
    // Longer than any header, so a long petId is simply one that no pet has.
    routerOptions: { maxParamLength: 65_536 },
    // GracefulShutdown decides what is still served.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      void sendError(error, request, reply)
      request.log.info({ method: request.method, status: reply.statusCode }, 'request')
    },
  })
}

async function registerApis(app: FastifyInstance, dependencies: AppDependencies): Promise<void> {
  const { database, authenticate, config, trustedDocuments, demoSecret } = dependencies
  const { rateLimit, authFailureLimit } = config
  const sharedCounts = config.rateLimitStore === 'postgres' ? new SharedRequestCounts(database) : null
  app.addHook('onClose', () => sharedCounts?.close())
  const requireApiKey = createApiKeyHooks({
    authenticate,
    requests: rateLimit && createRateLimiter('requests', rateLimit, sharedCounts),
    failures: authFailureLimit && createRateLimiter('failures', authFailureLimit, sharedCounts),
  })
  const createContext = contextFactory(database, demoSecret !== null)
  const contract = readContract()
  const baseUrl = config.servers.production ?? REST_PREFIX
  const [docsUrl, graphqlUrl] = [DOCS_PATH, GRAPHQL_PATH].map((path) => baseUrl.replace(/\/v1$/, path))
  const published = publishContract(contract, {
    production: baseUrl,
    staging: config.servers.staging,
    graphiql: config.graphiql ? (graphqlUrl ?? null) : null,
  })

  await app.register(
    async (scope) =>
      registerRestRoutes(scope, {
        contract,
        schema,
        baseUrl,
        docsUrl: docsUrl ?? DOCS_PATH,
        requireApiKey,
        createContext,
      }),
    { prefix: REST_PREFIX },
  )
  await app.register(async (scope) =>
    registerGraphqlRoutes(scope, {
      schema,
      graphiql: config.graphiql && { secret: demoSecret },
      limits: config.graphqlLimits,
      trusted: {
        documents: trustedDocuments,
        // On the demo, people may try their own documents.
        allowsOthers: (context) => !config.trustedDocuments.only || context.isDemoGraphiql,
        hidesSuggestions: config.trustedDocuments.only,
      },
      requireApiKey,
      createContext,
    }),
  )
  await registerDocsPage(app, published)
  registerPublicRoute(app, `${REST_PREFIX}/openapi.json`, async () => published)
}

function registerHealthRoutes(app: FastifyInstance, database: Database, shutdown: GracefulShutdown): void {
  registerPublicRoute(app, '/healthz', async () => ({ status: 'ok' }))
  registerPublicRoute(app, '/readyz', async () => {
    if (shutdown.isStarted) throw new ServiceError('SHUTTING_DOWN')
    await pingDatabase(database)
    return { status: 'ready' }
  })
}
