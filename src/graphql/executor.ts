import { GraphQLError } from 'graphql'
import { ServiceError } from '../base/service-error.ts'
import { Turns } from '../base/turns.ts'
import { checkValues, type GraphqlRequest, type Params, readParams } from './params.ts'
import type { Context } from './schema/context.ts'
import { findDocument } from './trusted-documents.ts'
import { createGraphqlYoga, type RequestResult, type YogaOptions } from './yoga.ts'

/** The maximum number of characters of a request that is read at once. */
const SHORT = 2_000

/**
 * Executes requests: on the fast path if their document is compiled, otherwise by Yoga. What may take long, a long request and all that
 * Yoga does before it waits for the database, takes turns.
 * @returns a function that returns errors if nothing was executed
 */
export function createExecutor(options: YogaOptions, turns = new Turns()) {
  const { queries, trusted } = options
  const askYoga = createGraphqlYoga(options)

  function read(request: GraphqlRequest, context: Context): Params {
    const params = readParams(request)
    const query = findDocument(params, trusted, context)
    if (query == null) throw new ServiceError('INVALID_REQUEST', 'Send a query, or the documentId of one.')
    checkValues(params)
    return { ...params, query }
  }

  function execute(request: GraphqlRequest, context: Context): RequestResult | Promise<RequestResult> {
    const key = context.apiKey.name
    const method = request.method === 'POST' ? 'POST' : 'GET'
    if ((request.body ?? request.url).length > SHORT) {
      return turns.run(key, () => {
        const params = read(request, context)
        return queries.answer(params, method, context) ?? askYoga(params, method, context)
      })
    }
    const params = read(request, context)
    return queries.answer(params, method, context) ?? turns.run(key, () => askYoga(params, method, context))
  }

  return async (request: GraphqlRequest, context: Context): Promise<RequestResult> => {
    try {
      return await execute(request, context)
    } catch (error) {
      // Nothing has been executed. Yoga throws GraphQLErrors.
      if (error instanceof GraphQLError) return { errors: [error] }
      if (error instanceof ServiceError)
        return { errors: [new GraphQLError(error.message, { cause: error })] }
      throw error
    }
  }
}
