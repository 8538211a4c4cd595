/** Deprecated operations of the contract, and those that have been removed. */
import type { FastifyInstance, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import type { RequireApiKey } from '../http/api-key-hook.ts'
import type { ContractOperation } from './contract.ts'

export interface DeprecationOptions {
  /** The base URL of links: …/v1 */
  baseUrl: string
  /** The page that documents the contract. */
  docsUrl: string
  requireApiKey: RequireApiKey
}

/** Answers 410 with what announced the removal, and records the key of each call, so that an operator sees who has not moved. */
export function registerRemoved(
  app: FastifyInstance,
  operation: ContractOperation,
  options: DeprecationOptions,
): void {
  const { id, method, url } = operation
  app.route({
    method,
    url,
    config: { operation: id, isDeprecated: true },
    onRequest: [
      ...onDeprecated(operation, options, options.requireApiKey(method === 'GET' ? 'read' : 'write')),
      (_, __, done) => done(new ServiceError('OPERATION_REMOVED')),
    ],
    handler: () => undefined,
  })
}

/** The hooks that check the key and, if the operation is deprecated, announce its removal. */
export function onDeprecated(
  { deprecation }: ContractOperation,
  { baseUrl, docsUrl }: DeprecationOptions,
  requireKey: onRequestAsyncHookHandler,
): (onRequestHookHandler | onRequestAsyncHookHandler)[] {
  if (!deprecation) return [requireKey]
  return [announceDeprecation(deprecation, baseUrl, docsUrl), requireKey]
}

/**
 * Announces on every response of a deprecated operation since when it has been deprecated (RFC 9745), when it will be removed (RFC
 * 8594), what replaces it (RFC 5829), and where this is documented, as declared in schema/openapi.yaml.
 */
function announceDeprecation(
  { since, sunset, successor }: NonNullable<ContractOperation['deprecation']>,
  baseUrl: string,
  docsUrl: string,
): onRequestHookHandler {
  const headers = {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: sunset.toUTCString(),
    link: [
      `<${baseUrl}${successor}>; rel="successor-version"`,
      `<${docsUrl}>; rel="deprecation"; type="text/html"`,
      `<${docsUrl}>; rel="sunset"; type="text/html"`,
    ].join(', '),
  }
  return (_, reply, done) => {
    reply.headers(headers)
    done()
  }
}

/** Warns of operations that are still served although the contract says that they are removed by now. */
export function warnOfOverdue(
  operations: readonly ContractOperation[],
  removed: readonly string[],
  log: { warn(details: object, message: string): void },
): void {
  for (const { id, deprecation } of operations)
    if (deprecation && deprecation.sunset.getTime() <= Date.now() && !removed.includes(id))
      log.warn(
        { operation: id, sunset: deprecation.sunset.toUTCString() },
        `${id} was to be removed: set REMOVED_OPERATIONS=${id}`,
      )
}
