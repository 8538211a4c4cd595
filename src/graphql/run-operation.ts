import { type OperationDefinitionNode, OperationTypeNode } from 'graphql'
import { currentSpans, trace } from '../base/trace-scope.ts'
import type { Context } from './schema/context.ts'

type Operation = Pick<OperationDefinitionNode, 'operation' | 'name'>
type Execute<Result> = () => Result | Promise<Result>

/**
 * Executes a query or a mutation, of either API. If standbys answer reads, a query may go to one of them, and it is recorded
 * what the operation has written or may have seen.
 */
export function runOperation<Result>(
  operation: Operation,
  { session }: Context,
  execute: Execute<Result>,
): Result | Promise<Result> {
  if (session.database.readers.all.length === 0) return traceOperation(operation, execute)
  return traceOperation(
    operation,
    operation.operation === OperationTypeNode.MUTATION
      ? () => mutate(session, execute)
      : () => query(session, execute),
  )
}

function query<Result>(session: Context['session'], execute: Execute<Result>): Result | Promise<Result> {
  const waiting = session.chooseReader()
  const result = waiting ? waiting.then(execute) : execute()
  // What is there at once was not read from the database.
  return result instanceof Promise ? result.finally(() => session.recordReads()) : result
}

async function mutate<Result>(session: Context['session'], execute: Execute<Result>): Promise<Result> {
  try {
    return await execute()
  } finally {
    session.recordWrites()
  }
}

/** Executes an operation in a span of its own, if the request is traced (OpenTelemetry's semantic conventions, GraphQL). */
function traceOperation<Result>({ operation, name }: Operation, execute: () => Result): Result {
  if (!currentSpans()) return execute()
  const attributes = {
    'graphql.operation.type': operation,
    ...(name && { 'graphql.operation.name': name.value }),
  }
  return trace(name ? `${operation} ${name.value}` : operation, attributes, execute)
}
