/** What clients see of errors: a ServiceError as it is, and INTERNAL instead of anything unexpected, which only the log shows. */
import { type ExecutionResult, GraphQLError, isValueNode } from 'graphql'
import type { GraphQLHTTPExtensions } from 'graphql-yoga'
import { ServiceError } from '../base/service-error.ts'
import { unwrapQueryError } from '../db/postgres/postgres-errors.ts'
import { headersOf } from '../http/error-body.ts'
import type { Context } from './context.ts'

/** Where an error is in the document of its request. */
type Place = Pick<GraphQLError, 'source' | 'positions'>

/**
 * Masks the errors of a result, and records their codes for the log.
 * @param document null: none is known @param options.isEvent whether it is an event of a subscription, whose status and headers have been sent
 */
export function maskResult(
  result: ExecutionResult,
  context: Context,
  document: { placeOf: (error: GraphQLError) => Place } | null,
  { isEvent = false } = {},
): ExecutionResult {
  const { errors, data } = result
  if (!errors) return result
  const all = errors.map((error) => ({ error, masked: maskError(error, context) }))
  // If an error made all data null, report only that one, the last: how many others were found before it depends on the order in which
  // the database answers.
  const reported = data === null ? all.slice(-1) : all
  context.outcome.errorCodes = reported.map(({ masked }) => masked.code)
  // A client that retries by the status would repeat a mutation that has succeeded.
  const hasStatus = !isEvent && !Object.values(data ?? {}).some((value) => value !== null)
  const shown = reported.map(({ error, masked }) => {
    const { path } = error
    const http = hasStatus ? httpOf(error, masked, data !== undefined) : null
    const { source, positions } = document?.placeOf(error) ?? error
    return toGraphqlError(masked, { path, source, positions }, http)
  })
  return { errors: shown, ...(data !== undefined && { data }) }
}

/** @param error from executing a document @returns what clients may see of it; an unexpected one is observed here, and nowhere else */
export function maskError(error: unknown, { observe, outcome, requestId }: Context): ServiceError {
  const origin = unwrapError(error)
  if (origin instanceof ServiceError) {
    if (origin.status >= 500) outcome.failureCause ??= origin.cause
    return origin
  }
  // The outermost message says where in the request the problem is.
  if (error instanceof GraphQLError && origin instanceof GraphQLError && !isOfResult(error))
    return new ServiceError('INVALID_REQUEST', error.message)
  observe({ type: 'request failed', requestId, part: 'resolver', error: origin })
  return new ServiceError('INTERNAL')
}

/** graphql-js wraps what a resolver throws, sometimes twice. The problems that it finds in a document are not wrapped. */
function unwrapError(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return unwrapQueryError(error)
  return error.cause === undefined ? error : unwrapError(error.cause)
}

/** Whether a resolver's result does not fit the schema, which is our own bug. For an argument, graphql-js names a value, not a field. */
function isOfResult({ path, nodes: [node] = [] }: GraphQLError): boolean {
  return path !== undefined && !(node && isValueNode(node))
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

/** The places in a document that an error names. */
const MAX_LOCATIONS = 10

/** What clients see of an error, and what Yoga takes from it. */
export function toGraphqlError(
  masked: ServiceError,
  { source, positions, path }: Place & Pick<GraphQLError, 'path'>,
  http: GraphQLHTTPExtensions | null = null,
): GraphQLError {
  const { message, extensions } = formatError(masked)
  return new GraphQLError(message, {
    source,
    positions: positions?.slice(0, MAX_LOCATIONS),
    path,
    extensions: { ...extensions, ...(http && { http }) },
  })
}

/** `code` from the catalogue; for invalid values also `problems` (all of them) and `argument` (the first). */
export function formatError({ code, message, problems }: ServiceError) {
  const shown = problems.map(({ argument, message }) => ({ argument: cut(argument), message: cut(message) }))
  const extensions = { code, ...(shown[0] && { argument: shown[0].argument, problems: shown }) }
  return { message: cut(message), extensions }
}

/** The maximum number of characters of a message, and of the path to an argument: both may repeat what the client sent. */
const MAX_TEXT = 1_000

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…`
}
