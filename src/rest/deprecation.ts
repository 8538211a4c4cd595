import type { onRequestHookHandler } from 'fastify'
import type { ContractOperation } from './contract.ts'

/**
 * Announces on every response of a deprecated operation since when it has been deprecated (RFC 9745), when it will be removed (RFC
 * 8594), what replaces it (RFC 5829), and where this is documented, as declared in schema/openapi.yaml.
 */
export function announceDeprecation(
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

/** Counts the calls to a deprecated operation per key name, in the request's log line. */
export function countCalls(): onRequestHookHandler {
  const calls = new Map<string, number>()
  return (request, _, done) => {
    if (request.apiKey) {
      const count = (calls.get(request.apiKey.name) ?? 0) + 1
      calls.set(request.apiKey.name, count)
      request.logDetails = { calls: count }
    }
    done()
  }
}
