import { type ExecutionResult, GraphQLError, isValueNode } from 'graphql'
import type { GraphQLHTTPExtensions } from 'graphql-yoga'
import { ServiceError } from '../base/service-error.ts'
import { unwrapQueryError } from '../db/postgres/postgres-errors.ts'
import { headersOf } from '../http/error-body.ts'
import type { Context } from './context.ts'

/** What is wrong with a request, in one place or several. */
export class RequestErrors extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join(' '))
    this.errors = errors
  }
}

/** The errors of a request that was refused. @throws what is not one of them */
export function toGraphqlErrors(error: unknown): readonly GraphQLError[] {
  if (error instanceof RequestErrors) return error.errors
  if (error instanceof GraphQLError) return [error]
  if (error instanceof ServiceError) return [new GraphQLError(error.message, { cause: error })]
  throw error
}

/** Converts an error from executing a document to what clients may see. An unexpected one is observed, only here, and becomes INTERNAL. */
export function fromGraphqlError(error: unknown, { observe, outcome, requestId }: Context): ServiceError {
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

/** Where an error is in the document of its request. */
type Place = Pick<GraphQLError, 'source' | 'positions'>

interface MaskOptions {
  /** Null: no document is known. */
  document: { placeOf: (error: GraphQLError) => Place } | null
  /** Whether it is an event of a subscription, whose status and headers have been sent. */
  isEvent?: boolean
}

/** Masks the errors of a result, and records them for the log. */
export function maskErrors(
  result: ExecutionResult,
  context: Context,
  { document, isEvent = false }: MaskOptions,
): ExecutionResult {
  const { errors, data } = result
  if (!errors) return result
  const all = errors.map((error) => ({ error, origin: fromGraphqlError(error, context) }))
  // If an error made all data null, report only that one, the last: how many others were found before it depends on the order in which
  // the database answers.
  const known = data === null ? all.slice(-1) : all
  context.outcome.errorCodes = known.map(({ origin }) => origin.code)
  // A client that retries by the status would repeat a mutation that has succeeded.
  const hasStatus = !isEvent && !Object.values(data ?? {}).some((value) => value !== null)
  const masked = known.map(({ error, origin }) => {
    const { path } = error
    const http = hasStatus ? httpOf(error, origin, data === undefined) : null
    const { source, positions } = document?.placeOf(error) ?? error
    return toMaskedError({ path, source, positions }, origin, http)
  })
  return { errors: masked, ...(data !== undefined && { data }) }
}

/** The characters of a message, and of the path to an argument: both may repeat what the client sent. */
const MAX_TEXT = 1_000
/** The places in a document that an error names. */
const MAX_LOCATIONS = 10

/** What clients see of an error, and what Yoga takes from it. @param origin from fromGraphqlError */
export function toMaskedError(
  { source, positions, path }: Place & Pick<GraphQLError, 'path'>,
  origin: ServiceError,
  http: GraphQLHTTPExtensions | null = null,
): GraphQLError {
  const { message, extensions } = formatError(origin)
  return new GraphQLError(message, {
    source,
    positions: positions?.slice(0, MAX_LOCATIONS),
    path,
    extensions: { ...extensions, ...(http && { http }) },
  })
}

/**
 * An error of a field has no status, unless it is of the server or the key, which may end while a resolver waits. `spec`: only in
 * GraphQL's own media type (GraphQL over HTTP, "Status codes"), for what is wrong with a document or its variables.
 * @param isRefused nothing was executed, or nothing was subscribed
 */
function httpOf(
  { path, extensions }: GraphQLError,
  origin: ServiceError,
  isRefused: boolean,
): GraphQLHTTPExtensions | null {
  const { status } = origin
  if (path !== undefined && !isRefused && status < 500 && status !== 401) return null
  const headers = { ...extensions.http?.headers, ...headersOf(origin) }
  return { status, headers, spec: status === 400 }
}

/** `code` from the catalogue; for invalid values also `problems` (all of them) and `argument` (the first). */
export function formatError({ code, message, problems }: ServiceError) {
  const shown = problems.map(({ argument, message }) => ({ argument: cut(argument), message: cut(message) }))
  const extensions = { code, ...(shown[0] && { argument: shown[0].argument, problems: shown }) }
  return { message: cut(message), extensions }
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…`
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
