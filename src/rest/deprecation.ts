import type { onRequestHookHandler } from 'fastify'
import type { ContractOperation } from './contract.ts'

/**
 * Says on every answer of a deprecated operation since when (RFC 9745) and until when (RFC 8594) it is there, what comes
 * after it (RFC 5829), and where that is explained. All of it is declared in schema/openapi.yaml.
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

/** Counts in the log, by the name of the key, who still calls a deprecated operation: in the line of the request. */
export function countCalls(operation: string): onRequestHookHandler {
  const calls = new Map<string, number>()
  return (request, _, done) => {
    if (request.apiKey) {
      const count = (calls.get(request.apiKey.name) ?? 0) + 1
      calls.set(request.apiKey.name, count)
      request.logDetails = { operation, calls: count }
    }
    done()
  }
}
