import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import cors from '@fastify/cors'
import type { Authenticate } from './auth.ts'
import type { Config } from './config.ts'
import { type Database, pingDatabase } from './db/connect.ts'
import { addDocsPage } from './docs.ts'
import { type Drain, installDrain } from './drain.ts'
import { ServiceError } from './errors.ts'
import type { Context } from './graphql/builder.ts'
import { graphqlDoor } from './graphql/http.ts'
import { schema } from './graphql/schema.ts'
import { acceptAllMethods, EXPOSED_HEADERS, createKeyHook, keyOf, answerOtherMethods } from './http.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from './paths.ts'
import { createRateLimiter } from './rate-limits.ts'
import { identifyRequest, logRequests } from './request-log.ts'
import { readContract } from './rest/contract.ts'
import { restDoor } from './rest/door.ts'
import type { TrustedDocuments } from './trusted-manifest.ts'
import { publishContract } from './rest/publish.ts'
import { answerOddRequests, answerParserError, sendError } from './rest/errors.ts'

export interface ServerDependencies {
  database: Database
  authenticate: Authenticate
  config: Omit<Config, 'host' | 'port' | 'database' | 'apiKeys'>
  /** Documents that may be asked for by id. */
  trustedDocuments: TrustedDocuments
  /** The secret of the demo key, which GraphiQL is filled in with; null when there is none. */
  demoSecret: string | null
  /** Takes the log, one line of JSON at a time. */
  log: { write(line: string): void }
}

/** Bytes. A name may take nearly all of it, and a GraphQL answer may hold as many names as the limit of its cost allows. */
const BODY_LIMIT = 64 * 1024
/** Characters of a request target; RFC 9110, 4.1 wants 8,000 at least. All headers together may be twice that. */
const MAX_TARGET = 16_384

/** Both doors on one Fastify, ready to listen or to be injected into. */
export async function buildServer(
  dependencies: ServerDependencies,
): Promise<{ app: FastifyInstance; drain: Drain }> {
  const { database, authenticate, config, trustedDocuments, demoSecret, log } = dependencies
  const app: FastifyInstance = Fastify({
    logger: { level: config.logLevel, stream: log },
    // One line a request, written by logRequests.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: identifyRequest,
    bodyLimit: BODY_LIMIT,
    // Slow clients: headers are cut off after 5 s, a body after 10 s; it is looked at every second.
    requestTimeout: 10_000,
    http: {
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      maxHeaderSize: 2 * MAX_TARGET,
    },
    // Longer than any header can be, so that a long petId is a petId that names no animal.
    routerOptions: { maxParamLength: 65_536 },
    // The drain answers 503 by itself, in the Error body.
    return503OnClosing: false,
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      void sendError(error, request, reply)
      request.log.info({ method: request.method, status: reply.statusCode }, 'request')
    },
  })
  acceptAllMethods(app)
  answerOddRequests(app)
  app.removeAllContentTypeParsers()
  app.decorateRequest('apiKey', null)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(() => {
    throw new ServiceError('NOT_FOUND')
  })

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (request.url.length > MAX_TARGET) done(new ServiceError('URI_TOO_LONG'))
    // RFC 9112, 3.2; Node itself would answer with an empty body.
    else if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      done(new ServiceError('INVALID_REQUEST', 'The Host header is missing.'))
    else done()
  })
  if (config.corsOrigins.length > 0) {
    // Preflights are answered with the other OPTIONS.
    await app.register(cors, {
      origin: config.corsOrigins,
      preflight: false,
      exposedHeaders: EXPOSED_HEADERS,
    })
  }
  const drain = installDrain(app, ['/healthz', '/readyz'])
  logRequests(app)

  const { rateLimit, authFailureLimit } = config
  const requireKey = createKeyHook({
    authenticate,
    requests: rateLimit && createRateLimiter('requests', rateLimit),
    failures: authFailureLimit && createRateLimiter('failures', authFailureLimit),
  })
  const createContext = (request: FastifyRequest, { raw }: FastifyReply): Context => ({
    database,
    key: keyOf(request),
    // GraphiQL says so with every request.
    isDemoGraphiql: demoSecret !== null && request.headers['x-graphiql'] === 'true',
    log: request.log,
    onClose: (listener) => {
      if (raw.closed) listener()
      else raw.once('close', listener)
    },
  })
  const contract = readContract()
  const baseUrl = config.servers.production ?? REST_PREFIX
  // The page stands beside the contract's base address.
  const docsUrl = baseUrl.replace(/\/v1$/, DOCS_PATH)
  const published = publishContract(contract, {
    production: baseUrl,
    staging: config.servers.staging,
    graphiql: config.graphiql ? baseUrl.replace(/\/v1$/, GRAPHQL_PATH) : null,
  })

  await app.register(restDoor({ contract, schema, baseUrl, docsUrl, requireKey, createContext }), {
    prefix: REST_PREFIX,
  })
  await app.register(
    graphqlDoor({
      schema,
      graphiql: config.graphiql && { secret: demoSecret },
      limits: config.graphqlLimits,
      trusted: {
        documents: trustedDocuments,
        // People explore with documents of their own: on the demo they may.
        mayBringDocument: (context) => !config.trustedDocuments.only || context.isDemoGraphiql,
      },
      requireKey,
      createContext,
    }),
  )

  await addDocsPage(app, published)
  addPublicRoute(app, `${REST_PREFIX}/openapi.json`, async () => published)
  addPublicRoute(app, '/healthz', async () => ({ status: 'ok' }))
  addPublicRoute(app, '/readyz', async () => {
    if (drain.started) throw new ServiceError('SHUTTING_DOWN')
    await pingDatabase(database)
    return { status: 'ready' }
  })
  return { app, drain }
}

function addPublicRoute(app: FastifyInstance, url: string, handler: () => Promise<object>): void {
  app.get(url, handler)
  answerOtherMethods(app, url, ['GET'], [])
}
