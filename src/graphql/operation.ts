import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, getOperationAST, type GraphQLSchema, validate } from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { toServiceError } from './errors.ts'
import { runOperation } from './run-operation.ts'
import type { Context } from './schema/context.ts'

/** One of our own documents, ready to run. @throws ServiceError, and nothing else */
export type Operation<Result, Variables> = (variables: Variables, context: Context) => Promise<Result>

/**
 * Validates and compiles one of our own documents, once.
 * @throws Error that names what does not fit the schema
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
  const operation = getOperationAST(document)
  if (!query || !operation) throw new Error('A document cannot be compiled')
  return async (variables, context) => {
    const { data, errors } = await runOperation(operation, context, () =>
      query(undefined, context, { ...variables }),
    )
    const [error] = errors ?? []
    if (error) throw toServiceError(error, context)
    // Without errors, data has the type that codegen derived from this document and schema.
    return data as Result
  }
}

/** Compiles a valid document; null if graphql-jit cannot. */
export function compileDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
): CompiledQuery['query'] | null {
  const compiled = compileQuery(schema, document, undefined, { disablingCapturingStackErrors: true })
  return isCompiledQuery(compiled) ? compiled.query : null
}
