/** What clients may see of an error: a ServiceError as it is, and INTERNAL instead of anything unexpected, which only the log shows. */
import { GraphQLError, isValueNode } from 'graphql'
import { ServiceError } from '../../base/service-error.ts'
import { unwrapQueryError } from '../../db/postgres/postgres-errors.ts'
import type { Context } from '../request/context.ts'

/** @param error from executing a document @returns what clients may see of it; an unexpected one is observed here, and nowhere else */
export function maskError(error: unknown, { observe, requestId }: Context): ServiceError {
  const origin = unwrapError(error)
  if (origin instanceof ServiceError) return origin
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
