import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { getOperationAST, type GraphQLSchema, validate } from 'graphql'
import { traceOperation } from '../telemetry/spans.ts'
import { compileDocument } from '../workarounds/graphql-jit.ts'
import type { Context } from './request/context.ts'
import { maskError } from './errors/mask-error.ts'

/**
 * Validates and compiles one of our own documents, once. So the REST API runs GraphQL operations, without what clients' documents need.
 * @returns executes it; throws ServiceErrors, and nothing else
 * @throws Error that names what does not fit the schema
 */
export function compileOperation<Result, Variables extends object>(
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
    if (error) throw maskError(error, context)
    // Without errors, data has the type that codegen derived from this document and schema.
    return data as Result
  }
}
