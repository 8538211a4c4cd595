import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, GraphQLError, type GraphQLSchema, validate } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { RETRY_AFTER_SECONDS, ServiceError } from '../errors.ts'
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
  const untyped: DocumentNode = document
  const compiled = compileQuery(schema, untyped)
  if (!isCompiledQuery(compiled)) {
    throw new Error(`A document cannot be compiled:\n${compiled.errors?.map(String).join('\n')}`)
  }
  return async (variables, context) => {
    const { data, errors } = await compiled.query(undefined, context, { ...variables })
    const [error] = errors ?? []
    if (error) throw toServiceError(error, context.log)
    // Without errors, data is what codegen read off this document and this schema.
    return data as Result
  }
}

/**
 * What may be told of an error that came up while a document was run.
 * A failure that nobody foresaw is logged, here and only here, and becomes INTERNAL.
 */
export function toServiceError(error: unknown, log: Log): ServiceError {
  const origin = originOf(error)
  if (origin instanceof ServiceError) {
    if (origin.status >= 500) log.warn({ code: origin.code, cause: origin.cause }, 'the database failed')
    return origin
  }
  if (origin instanceof GraphQLError) return new ServiceError('INVALID_REQUEST', origin.message)
  // Yoga's own, of JSON in a query string or in a form; in a field it would be ours.
  const isOfRequest = error instanceof GraphQLError && error.path === undefined
  if (origin instanceof SyntaxError && isOfRequest)
    return new ServiceError('INVALID_REQUEST', 'The parameters must be JSON.')
  log.error({ err: origin }, 'a resolver failed')
  return new ServiceError('INTERNAL')
}

/** The same in GraphQL's words: `extensions.code` from the catalogue, `extensions.field` where a value is at fault. */
export function toGraphQLError(error: GraphQLError, log: Log): GraphQLError {
  const { code, status, message, field } = toServiceError(error, log)
  // Yoga takes `http` for the response, and does not send it on; its `originalError`, a parser's message, it would.
  const isParserMessage = error.extensions.originalError !== undefined || error.cause instanceof SyntaxError
  const http = status >= 500 || isParserMessage ? toHttp(status) : error.extensions.http
  return new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: { code, ...(field === undefined ? {} : { field }), ...(http ? { http } : {}) },
  })
}

function toHttp(status: number): { status: number; headers: Record<string, string> } {
  return { status, headers: status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {} }
}

/** GraphQL wraps what a resolver throws, sometimes twice; what it found wrong with a document by itself is not wrapped. */
function originOf(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- graphql-jit 0.8 sets this one only
  const origin = error.originalError ?? error.cause
  return origin === undefined ? error : originOf(origin)
}
