import {
  type ASTNode,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  Kind,
  type ValueNode,
  visit,
} from 'graphql'
import { type ErrorCode, type Problem, ServiceError } from '../base/errors.ts'
import { headersOf } from '../http/errors.ts'
import type { Context } from './schema/context.ts'

/** Where the server learns what clients must not see. */
export type Reporting = Pick<Context, 'log' | 'outcome'>

/** Converts an error from executing a document to what clients may see. An unexpected one is logged, only here, and becomes INTERNAL. */
export function toServiceError(error: unknown, { log, outcome }: Reporting): ServiceError {
  const origin = originOf(error)
  if (origin instanceof ServiceError) {
    if (origin.status >= 500) outcome.failureCause ??= origin.cause
    return origin
  }
  // The outermost message says where in the request the problem is.
  if (error instanceof GraphQLError && origin instanceof GraphQLError && !isOfResult(error)) {
    const problem = readVariableProblem(error.message)
    if (problem) return new ServiceError('INVALID_VALUE', error.message, { problems: [problem] })
    // From Yoga: a mutation by GET.
    const isMethod = httpStatusOf(error) === 405
    return new ServiceError(isMethod ? 'METHOD_NOT_ALLOWED' : 'INVALID_REQUEST', error.message)
  }
  // From Yoga: unparsable JSON in a query string. With a path, it would be a resolver's error.
  const isOfRequest = error instanceof GraphQLError && error.path === undefined
  if (origin instanceof SyntaxError && isOfRequest)
    return new ServiceError('INVALID_REQUEST', 'The parameters must be JSON.')
  log.error({ err: origin }, 'a resolver failed')
  return new ServiceError('INTERNAL')
}

/** The error in the form that Yoga sends. */
export function toGraphQLError(error: GraphQLError, reporting: Reporting): GraphQLError {
  const known = toServiceError(error, reporting)
  // Yoga applies `http` to the response and does not send it. It would send a parser error as `originalError`.
  const isParserError = error.extensions.originalError !== undefined || error.cause instanceof SyntaxError
  // A response without data is 4xx only as application/graphql-response+json (GraphQL over HTTP, "Status codes").
  // The key of a subscriber may end while a resolver waits.
  const http =
    known.status >= 500 || known.status === 401 || isParserError
      ? toHttp(known)
      : (error.extensions.http ?? (error.path === undefined ? { ...toHttp(known), spec: true } : null))
  return new GraphQLError(known.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: { ...toExtensions(known), ...(http && { http }) },
  })
}

/** The errors of a compiled query as Yoga would answer them. They have locations, but no nodes. */
export function toErrorAnswer(errors: readonly GraphQLError[], reporting: Reporting) {
  const known = errors.map((error) => toServiceError(error, reporting))
  const failures = known.filter(({ status }) => status >= 500).map(toHttp)
  return {
    status: Math.max(200, ...failures.map(({ status }) => status)),
    headers: Object.assign({}, ...failures.map(({ headers }) => headers)) as Record<string, string>,
    errors: known.map((error, index) => ({
      message: error.message,
      locations: errors[index]?.locations,
      path: errors[index]?.path,
      extensions: toExtensions(error),
    })),
    codes: known.map(({ code }) => code),
  }
}

/**
 * The errors of a result that a client sees. If one of them made all data null, only that one, which is the last: how many others
 * were found before it depends on the order in which the database answers.
 */
export function errorsToReport({ data, errors }: ExecutionResult): readonly GraphQLError[] | undefined {
  return data === null ? errors?.slice(-1) : errors
}

/** Rejects a request before any of it is executed; thrown by Yoga's plugins. */
export function createRequestError(
  code: ErrorCode,
  message?: string,
  problems: readonly Problem[] = [],
): GraphQLError {
  const error = new ServiceError(code, message, { problems })
  return new GraphQLError(error.message, { originalError: error, extensions: { http: toHttp(error) } })
}

/** `code` from the catalogue; for invalid values also `problems` (all of them) and `argument` (the first). */
function toExtensions({ code, problems }: ServiceError): object {
  return { code, ...(problems[0] && { argument: problems[0].argument, problems }) }
}

function toHttp(error: ServiceError): { status: number; headers: Record<string, string> } {
  return { status: error.status, headers: headersOf(error) }
}

/** graphql-js wraps what a resolver throws, sometimes twice. It does not wrap the problems that it finds in a document. */
function originOf(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- graphql-jit 0.8 sets only this one
  const origin = error.originalError ?? error.cause
  return origin === undefined ? error : originOf(origin)
}

/** The status that a plugin of Yoga chose. An error of graphql-jit has no extensions, whatever its type says. */
function httpStatusOf({ extensions }: { extensions?: { http?: { status?: number } } }): number | undefined {
  return extensions?.http?.status
}

/** Whether a resolver's result does not fit the schema, which is our own bug, unlike an argument that does not fit. */
function isOfResult({ path, message }: GraphQLError): boolean {
  return path !== undefined && !/^Argument "/.test(message)
}

/** graphql-js names the invalid variable only in its message. */
function readVariableProblem(message: string): Problem | null {
  const [, variable, path = '', what = ''] =
    /^Variable "\$(\w+)" has invalid value(?: at ([.\w[\]]+))?: (.*)$/s.exec(message) ?? []
  if (variable === undefined) return null
  const [, field] = /^Expected value of type "\w+" (?:not )?to include \w+ field "(\w+)"/.exec(what) ?? []
  return { argument: [variable + path, ...(field === undefined ? [] : [field])].join('.'), message }
}

/** Adds the code INVALID_VALUE and the argument to errors about literals, like those about the same values in variables. */
export function describeInvalidLiterals(
  document: DocumentNode,
  errors: readonly GraphQLError[],
): readonly GraphQLError[] {
  return errors.map((error) => {
    const { message, nodes = [] } = error
    const path = nodes[0] && findLiteral(document, nodes[0])
    if (path === undefined) return error
    const [, missing] = /^Expected value of type "\w+" to include required field "(\w+)"/.exec(message) ?? []
    const argument = missing === undefined ? path : `${path}.${missing}`
    const originalError = new ServiceError('INVALID_VALUE', message, { problems: [{ argument, message }] })
    return new GraphQLError(message, { nodes, originalError })
  })
}

/** The argument that a literal belongs to, and the path within it: `filter.status[0]`; undefined for other nodes. */
function findLiteral(document: DocumentNode, literal: ASTNode): string | undefined {
  let found: string | undefined
  const search = (value: ValueNode | undefined, path: string): void => {
    if (value === literal && value.kind !== Kind.VARIABLE) found = path
    if (value?.kind === Kind.LIST) value.values.forEach((item, index) => search(item, `${path}[${index}]`))
    if (value?.kind !== Kind.OBJECT) return
    for (const field of value.fields) {
      const fieldPath = `${path}.${field.name.value}`
      if (field === literal) found = fieldPath
      search(field.value, fieldPath)
    }
  }
  visit(document, {
    Argument: ({ name, value }) => search(value, name.value),
    VariableDefinition: ({ variable, defaultValue }) => search(defaultValue, variable.name.value),
  })
  return found
}
