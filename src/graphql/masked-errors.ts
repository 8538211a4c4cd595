import { type ExecutionResult, GraphQLError, isValueNode } from 'graphql'
import { type GraphQLHTTPExtensions, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { ServiceError } from '../base/service-error.ts'
import { headersOf } from '../http/error-body.ts'
import type { Context } from './schema/context.ts'

/** Converts an error from executing a document to what clients may see. An unexpected one is logged, only here, and becomes INTERNAL. */
export function fromGraphqlError(error: unknown, { log, outcome, requestId }: Context): ServiceError {
  const origin = originOf(error)
  if (origin instanceof ServiceError) {
    if (origin.status >= 500) outcome.failureCause ??= origin.cause
    return origin
  }
  // The outermost message says where in the request the problem is.
  if (error instanceof GraphQLError && origin instanceof GraphQLError && !isOfResult(error)) {
    // From Yoga: a mutation by GET.
    const isMethod = chosenHttp(error)?.status === 405
    return new ServiceError(isMethod ? 'METHOD_NOT_ALLOWED' : 'INVALID_REQUEST', error.message)
  }
  log.error({ reqId: requestId, err: origin }, 'a resolver failed')
  return new ServiceError('INTERNAL')
}

/** Masks the errors of all results, those of events too, and records them for the log. */
export function maskErrors(): Plugin<Context, Context> {
  return {
    onSubscribe: ({ args }) => ({
      onSubscribeResult: () => ({
        onNext: (event) => event.setResult(mask(event.result, args.contextValue)),
      }),
    }),
    onResultProcess(event) {
      const { result, serverContext } = event
      if (!isAsyncIterable(result) && !Array.isArray(result)) event.setResult(mask(result, serverContext))
    },
  }
}

function mask(result: ExecutionResult, context: Context): ExecutionResult {
  const { errors, data } = result
  if (!errors) return result
  // If an error made all data null, report only that one, the last: how many others were found before it depends on the order in which
  // the database answers.
  const reported = data === null ? errors.slice(-1) : errors
  const described = reported.map((error) => describeError(error, context))
  context.outcome.errorCodes = described.map(({ code }) => code)
  const masked = {
    // Yoga reads the status and the headers from these.
    errors: described.map(({ http }) => new GraphQLError('', { extensions: http && { http } })),
    ...(data !== undefined && { data }),
    stringify: () => JSON.stringify({ errors: described.map(({ sent }) => sent), data }),
  }
  return masked
}

/** The characters of a message, and of the path to an argument: both may repeat what the client sent. */
const MAX_TEXT = 1_000
/** The places in a document that an error names. */
const MAX_LOCATIONS = 10

/** What clients see of an error: its code, how it is sent, and what it does to the status and the headers of the answer. */
export function describeError(error: GraphQLError, context: Context) {
  const known = fromGraphqlError(error, context)
  const { path } = error
  const locations = error.locations?.slice(0, MAX_LOCATIONS)
  const { message, extensions } = toGraphqlError(known)
  return {
    code: known.code,
    sent: { message, locations, path, extensions },
    http: httpOf(error, known),
  }
}

/**
 * What an error does to its answer. `spec`: only in GraphQL's own media type (GraphQL over HTTP, "Status codes"), as for what is wrong
 * with a document.
 * @returns null: nothing
 */
function httpOf(error: GraphQLError, known: ServiceError): GraphQLHTTPExtensions | null {
  const own = { status: known.status, headers: headersOf(known) }
  // The key of a subscriber may end while a resolver waits.
  if (known.status >= 500 || known.status === 401) return own
  if (error.path !== undefined) return null
  return chosenHttp(error) ?? { ...own, spec: originOf(error) !== known }
}

/** `code` from the catalogue; for invalid values also `problems` (all of them) and `argument` (the first). */
export function toGraphqlError({ code, message, problems }: ServiceError) {
  const sent = problems.map(({ argument, message }) => ({ argument: cut(argument), message: cut(message) }))
  const extensions = { code, ...(sent[0] && { argument: sent[0].argument, problems: sent }) }
  return { message: cut(message), extensions }
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…`
}

/**
 * graphql-js wraps what a resolver throws, sometimes twice; Drizzle, what a statement does, in a message with its text and its values.
 * The problems that graphql-js finds in a document are not wrapped.
 */
function originOf(error: unknown): unknown {
  if (error instanceof Error && 'query' in error && 'params' in error) return originOf(error.cause)
  if (!(error instanceof GraphQLError)) return error
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- graphql-jit 0.8 sets only this one
  const origin = error.originalError ?? error.cause
  return origin === undefined ? error : originOf(origin)
}

/** What a plugin of Yoga chose. An error of graphql-jit has no extensions, whatever its type says. */
function chosenHttp({ extensions }: { extensions?: { http?: GraphQLHTTPExtensions } }) {
  return extensions?.http
}

/** Whether a resolver's result does not fit the schema, which is our own bug. For an argument, graphql-js names a value, not a field. */
function isOfResult({ path, nodes: [node] = [] }: GraphQLError): boolean {
  return path !== undefined && !(node && isValueNode(node))
}
