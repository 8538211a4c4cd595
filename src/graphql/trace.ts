import { trace } from '@opentelemetry/api'
import type { OperationDefinitionNode } from 'graphql'

/** Executes an operation of either API, in a span of its own if the request is traced (OpenTelemetry's semantic conventions, GraphQL). */
export function traceOperation<Result>(
  { operation, name }: OperationDefinitionNode,
  execute: () => Promise<Result> | Result,
): Promise<Result> | Result {
  if (!trace.getActiveSpan()) return execute()
  const attributes = {
    'graphql.operation.type': operation,
    ...(name && { 'graphql.operation.name': name.value }),
  }
  return trace
    .getTracer('pet-store')
    .startActiveSpan(name ? `${operation} ${name.value}` : operation, { attributes }, (span) =>
      Promise.try(execute).finally(() => span.end()),
    )
}
