/**
 * The errors of a result as they are sent. Every error of a request that `answer` answers comes here:
 *
 *     thrown before execution ─► toGraphqlErrors (request-errors.ts) ─┐
 *     of resolvers, in a result ──────────────────────────────────────┴─► maskResult ─► maskError ─► formatError
 *
 * maskError (mask-error.ts) says what clients may see of an error, formatError (error-format.ts) in which form. Here is which errors are sent,
 * with which place in the document, and what they make of the response's status.
 */
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { GraphQLHTTPExtensions } from 'graphql-yoga'
import type { ServiceError } from '../../base/service-error.ts'
import { headersOf } from '../../http/error-body.ts'
import { recordErrors } from '../../http/request-record.ts'
import type { Context } from '../request/context.ts'
import { formatError } from './error-format.ts'
import { maskError } from './mask-error.ts'

/** The maximum number of places in a document that an error names. */
const MAX_LOCATIONS = 10

/** A document that knows where an error is in the text that its request sent. */
interface Located {
  placeOf: (error: GraphQLError) => Pick<GraphQLError, 'source' | 'positions'>
}

/**
 * Masks the errors of a result, and records the codes of those that are sent, and the first cause of a failure, for the log.
 * @param document null: none is known @param options.isEvent whether it is an event of a subscription, whose status and headers have been sent
 */
export function maskResult(
  result: ExecutionResult,
  context: Context,
  document: Located | null,
  { isEvent = false } = {},
): ExecutionResult {
  const { errors, data } = result
  if (!errors) return result
  const all = errors.map((error) => ({ error, masked: maskError(error, context) }))
  // If an error made all data null, report only that one, the last: how many others were found before it depends on the order in which
  // the database answers.
  const reported = data === null ? all.slice(-1) : all
  recordErrors(
    context.outcome,
    reported.map(({ masked }) => masked),
  )
  // A client that retries by the status would repeat a mutation that has succeeded.
  const hasStatus = !isEvent && !Object.values(data ?? {}).some((value) => value !== null)
  const sent = reported.map(({ error, masked }) => {
    const { source, positions } = document?.placeOf(error) ?? error
    const { message, extensions } = formatError(masked)
    const http = hasStatus ? httpOf(error, masked, data !== undefined) : null
    return new GraphQLError(message, {
      source,
      positions: positions?.slice(0, MAX_LOCATIONS),
      path: error.path,
      extensions: { ...extensions, ...(http && { http }) },
    })
  })
  return { errors: sent, ...(data !== undefined && { data }) }
}

/**
 * The status and headers that an error gives its response. An error of a field gives none, unless it is of the server or the key, which may
 * end while a resolver waits. `spec`: only in GraphQL's own media type (GraphQL over HTTP, "Status codes"), for what is wrong with a document
 * or its variables.
 * @param isExecuted false: nothing was executed, or nothing was subscribed
 */
function httpOf(
  { path, extensions }: GraphQLError,
  masked: ServiceError,
  isExecuted: boolean,
): GraphQLHTTPExtensions | null {
  const { status } = masked
  if (path !== undefined && isExecuted && status < 500 && status !== 401) return null
  const headers = { ...extensions.http?.headers, ...headersOf(masked) }
  return { status, headers, spec: status === 400 }
}
