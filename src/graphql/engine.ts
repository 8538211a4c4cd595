import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, GraphQLError, type GraphQLSchema, validate } from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { type ErrorCode, type Problem, RETRY_AFTER_SECONDS, ServiceError } from '../errors.ts'
import type { Context, Log } from './builder.ts'

/** A document of ours, ready to run. @throws ServiceError, whatever fails */
export type Operation<Result, Variables> = (variables: Variables, context: Context) => Promise<Result>

/**
 * Validates and compiles one of our own documents, once.
 * @throws Error that says what no longer fits the schema
 */
export function prepareOperation<Result, Variables extends object>(
  schema: GraphQLSchema,
  document: TypedDocumentNode<Result, Variables>,
): Operation<Result, Variables> {
  const problems = validate(schema, document)
  if (problems.length > 0) {
    throw new Error(`A document does not fit the schema:\n${problems.map(String).join('\n')}`)
  }
  const query = compileDocument(schema, document)
  if (!query) throw new Error('A document cannot be compiled')
  return async (variables, context) => {
    const { data, errors } = await query(undefined, context, { ...variables })
    const [error] = errors ?? []
    if (error) throw toServiceError(error, context.log)
    // Without errors, data is what codegen read off this document and this schema.
    return data as Result
  }
}

/** Compiles a document that has passed validation; null when graphql-jit cannot. */
export function compileDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
): CompiledQuery['query'] | null {
  const compiled = compileQuery(schema, document)
  return isCompiledQuery(compiled) ? compiled.query : null
}

/**
 * What may be told of an error that came up while a document was run.
 * A failure that nobody foresaw is logged, here and only here, and becomes INTERNAL.
 */
function toServiceError(error: unknown, log: Log): ServiceError {
  const origin = originOf(error)
  if (origin instanceof ServiceError) {
    if (origin.status >= 500) log.warn({ code: origin.code, cause: origin.cause }, 'the database failed')
    return origin
  }
  // The outermost message: it says where in the request.
  if (error instanceof GraphQLError && origin instanceof GraphQLError && !isOfResult(error)) {
    const problem = readVariableProblem(error.message)
    if (problem) return new ServiceError('INVALID_VALUE', error.message, { problems: [problem] })
    // Yoga's: a mutation by GET.
    const isOfMethod = error.extensions.http?.status === 405
    return new ServiceError(isOfMethod ? 'METHOD_NOT_ALLOWED' : 'INVALID_REQUEST', error.message)
  }
  // Yoga's own, of JSON in a query string or in a form; in a field it would be ours.
  const isOfRequest = error instanceof GraphQLError && error.path === undefined
  if (origin instanceof SyntaxError && isOfRequest)
    return new ServiceError('INVALID_REQUEST', 'The parameters must be JSON.')
  log.error({ err: origin }, 'a resolver failed')
  return new ServiceError('INTERNAL')
}

/**
 * The same in GraphQL's words: `extensions.code` from the catalogue; `extensions.argument`, and `extensions.problems` with all of
 * them, where values are at fault.
 */
export function toGraphQLError(error: GraphQLError, log: Log): GraphQLError {
  const { code, status, message, problems } = toServiceError(error, log)
  // Yoga takes `http` for the response, and does not send it on; its `originalError`, a parser's message, it would.
  const isParserMessage = error.extensions.originalError !== undefined || error.cause instanceof SyntaxError
  const http = status >= 500 || isParserMessage ? toHttp(status) : error.extensions.http
  return new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: {
      code,
      ...(problems[0] && { argument: problems[0].argument, problems }),
      ...(http && { http }),
    },
  })
}

/** What a resolver has answered does not fit the graph: our fault, unlike an argument that does not. */
function isOfResult({ path, message }: GraphQLError): boolean {
  return path !== undefined && !/^Argument "/.test(message)
}

/** What graphql-js says of a variable, which is the one thing that it does not say but in words. */
function readVariableProblem(message: string): Problem | null {
  const [, variable, path = '', what = ''] =
    /^Variable "\$(\w+)" has invalid value(?: at ([.\w[\]]+))?: (.*)$/s.exec(message) ?? []
  if (variable === undefined) return null
  const [, field] = /^Expected value of type "\w+" (?:not )?to include \w+ field "(\w+)"/.exec(what) ?? []
  return { argument: [variable + path, ...(field === undefined ? [] : [field])].join('.'), message }
}

/** Thrown by plugins: what is wrong with a request, before any of it has been executed. */
export function refuseRequest(
  code: ErrorCode,
  message?: string,
  problems: readonly Problem[] = [],
): GraphQLError {
  const error = new ServiceError(code, message, { problems })
  return new GraphQLError(error.message, { originalError: error, extensions: { http: toHttp(error.status) } })
}

function toHttp(status: number): { status: number; headers: Record<string, string> } {
  return { status, headers: status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {} }
}

/** GraphQL wraps what a resolver throws, sometimes twice; what it found wrong with a document by itself is not wrapped. */
export function originOf(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- graphql-jit 0.8 sets this one only
  const origin = error.originalError ?? error.cause
  return origin === undefined ? error : originOf(origin)
}
