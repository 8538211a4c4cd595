/** What every peer shares with our server: the same environment, the same key check, one log line per request. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import pino from 'pino'

/** As in our server, stdout is for people and stderr for the log. */
const logger: FastifyBaseLogger = pino({ level: 'info' }, pino.destination(2))

export const DATABASE_URL = readVariable('DATABASE_URL')
/** Connections to Postgres, as many as our server's. */
export const POOL_SIZE = 10

/** The digests of the keys in API_KEYS: `name:secret` pairs. */
const digests = readVariable('API_KEYS')
  .split(',')
  .map((pair) => digestOf(pair.slice(pair.indexOf(':') + 1)))

/** Whether a bearer token is one of our keys. */
export function isAuthorized(authorization: string | undefined): boolean {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) return false
  const digest = digestOf(token)
  return digests.some((candidate) => timingSafeEqual(candidate, digest))
}

/** A Fastify that writes one log line per request. */
export function createFastify(options: { genReqId?: (request: IncomingMessage) => string } = {}) {
  const app: FastifyInstance = Fastify({
    ...options,
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const details = {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    request.log.info(details, 'request')
    done()
  })
  return app
}

/** Rejects requests without a valid key, with the Error body. */
export function requireKey(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isAuthorized(request.headers.authorization)) done()
    else void reply.code(401).send(UNAUTHORIZED)
  })
}

/** Listens on PORT, and prints the ready line. */
export async function listen(app: FastifyInstance): Promise<void> {
  announce(await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) }))
}

/** The same for a server on plain Node http: the key check and the log line around its handler. */
export function serveHandler(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): void {
  const listener: RequestListener = (request, response) => {
    const start = performance.now()
    response.once('finish', () => {
      const details = { method: request.method, status: response.statusCode }
      logger.info({ ...details, ms: Math.round(performance.now() - start) }, 'request')
    })
    if (isAuthorized(request.headers.authorization)) void handle(request, response)
    else response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(UNAUTHORIZED))
  }
  const server = createServer(listener).listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
    announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
}

const UNAUTHORIZED = { code: 'UNAUTHORIZED', message: 'An API key is required.', status: 401 }

function announce(url: string): void {
  console.log(`ready at ${url}`)
}

function readVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
