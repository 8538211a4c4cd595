import { GraphQLError } from 'graphql'
import { ServiceError } from '../base/errors.ts'
import { createLongRequests } from './long-requests.ts'
import { type GraphqlRequest, readParams, throwIfRounded } from './params.ts'
import type { Context } from './schema/context.ts'
import { findDocument } from './trusted-documents.ts'
import { createGraphqlYoga, type RequestResult, type YogaOptions } from './yoga.ts'

/** Executes requests: on the fast path if their document is compiled, otherwise by Yoga. */
export function createExecutor(options: YogaOptions) {
  const { queries, trusted } = options
  const askYoga = createGraphqlYoga(options)
  const takeTurn = createLongRequests()

  return async (request: GraphqlRequest, context: Context): Promise<RequestResult> => {
    try {
      const params = readParams(request)
      const query = findDocument(params, trusted, context)
      if (query == null) throw new ServiceError('INVALID_REQUEST', 'Send a query, or the documentId of one.')
      throwIfRounded(params.variables)
      const result = await queries.answer(query, params, context)
      if (result) return result

      const turn = takeTurn(context.apiKey.name, (request.body ?? request.url).length)
      if (turn) await turn
      return await askYoga({ ...params, query }, request.method === 'POST' ? 'POST' : 'GET', context)
    } catch (error) {
      // Nothing has been executed. Yoga throws GraphQLErrors.
      if (error instanceof GraphQLError) return { errors: [error] }
      if (error instanceof ServiceError)
        return { errors: [new GraphQLError(error.message, { cause: error })] }
      throw error
    }
  }
}
