/** Deprecated operations of the contract, also when they are no longer served. */
import type { onRequestHookHandler } from 'fastify'
import type { Observe } from '../base/observation.ts'
import { ServiceError } from '../base/service-error.ts'
import type { ContractOperation, Deprecation } from './contract.ts'

export interface DeprecationOptions {
  /** The base URL of links: …/v1 */
  baseUrl: string
  /** The page that documents the contract. */
  docsUrl: string
}

/**
 * The headers of every response of a deprecated operation, also of errors. They announce since when it has been deprecated (RFC 9745), when
 * it will be removed (RFC 8594), what replaces it (RFC 5829), and where this is documented, as declared in schema/openapi.yaml.
 */
export function deprecationHeaders(
  { since, sunset, successor }: Deprecation,
  { baseUrl, docsUrl }: DeprecationOptions,
): { deprecation: string; sunset: string; link: string } {
  return {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: sunset.toUTCString(),
    link: [
      `<${baseUrl}${successor}>; rel="successor-version"`,
      `<${docsUrl}>; rel="deprecation"; type="text/html"`,
      `<${docsUrl}>; rel="sunset"; type="text/html"`,
    ].join(', '),
  }
}

/**
 * Answers an operation that is no longer served. It comes after the check of the key, so that the log has the key's name: operators see
 * which clients still call the operation.
 * @throws ServiceError OPERATION_REMOVED
 */
export const rejectRemoved: onRequestHookHandler = () => {
  throw new ServiceError('OPERATION_REMOVED')
}

/**
 * Reports operations that are still served although the contract says that they are removed by now. It is called at start: one whose date
 * comes later is reported by the next start.
 * @param removed the names of those that are no longer served
 */
export function reportOverdue(
  operations: readonly ContractOperation[],
  removed: readonly string[],
  observe: Observe,
): void {
  for (const { id: operation, deprecation } of operations)
    if (deprecation && deprecation.sunset.getTime() <= Date.now() && !removed.includes(operation))
      observe({ type: 'operation overdue', operation, sunset: deprecation.sunset })
}
