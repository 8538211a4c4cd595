import type { OperationDefinitionNode } from 'graphql'
import { currentSpans, trace } from '../trace-scope.ts'

/** Executes an operation in a span of its own, if the request is traced (OpenTelemetry's semantic conventions, GraphQL). */
export function traceOperation<Result>(
  { operation, name }: Pick<OperationDefinitionNode, 'operation' | 'name'>,
  execute: () => Result,
): Result {
  if (!currentSpans()) return execute()
  const attributes = {
    'graphql.operation.type': operation,
    ...(name && { 'graphql.operation.name': name.value }),
  }
  return trace(name ? `${operation} ${name.value}` : operation, attributes, execute)
}
