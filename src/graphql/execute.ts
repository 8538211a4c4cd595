/** Prepares and executes operations. */
import { trace } from '@opentelemetry/api'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { getOperationAST, type GraphQLSchema, type OperationDefinitionNode, validate } from 'graphql'
import { compileDocument } from '../workarounds/graphql-jit.ts'
import { fromGraphqlError } from './masked-errors.ts'
import type { Context } from './pothos/context.ts'

/**
 * Validates and compiles one of our own documents, once.
 * @returns executes it; throws ServiceErrors, and nothing else
 * @throws Error that names what does not fit the schema
 */
export function prepareOperation<Result, Variables extends object>(
  schema: GraphQLSchema,
  document: TypedDocumentNode<Result, Variables>,
): (variables: Variables, context: Context) => Promise<Result> {
  const problems = validate(schema, document)
  if (problems.length > 0) {
    throw new Error(`A document does not fit the schema:\n${problems.map(String).join('\n')}`)
  }
  const query = compileDocument(schema, document)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('A document must have one operation')
  if (!query) throw new Error(`The operation ${operation.name?.value ?? 'without a name'} cannot be compiled`)
  return async (variables: object, context) => {
    const { data, errors } = await traceOperation(operation, () => query(context, { ...variables }))
    const [error] = errors ?? []
    if (error) throw fromGraphqlError(error, context)
    // Without errors, data has the type that codegen derived from this document and schema.
    return data as Result
  }
}

/** Executes an operation of either API, in a span of its own if the request is traced (OpenTelemetry's semantic conventions, GraphQL). */
export function traceOperation<Result>(
  { operation, name }: OperationDefinitionNode,
  execute: () => Result,
): Result {
  if (!trace.getActiveSpan()) return execute()
  const attributes = {
    'graphql.operation.type': operation,
    ...(name && { 'graphql.operation.name': name.value }),
  }
  return trace
    .getTracer('pet-store')
    .startActiveSpan(name ? `${operation} ${name.value}` : operation, { attributes }, (span) => {
      const result = execute()
      const end = () => span.end()
      Promise.resolve(result).then(end, end)
      return result
    })
}
