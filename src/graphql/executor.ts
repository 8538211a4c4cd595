import { GraphQLError } from 'graphql'
import { Counts } from '../base/counts.ts'
import { ServiceError } from '../base/service-error.ts'
import { Turns } from '../base/turns.ts'
import { checkValues, type GraphqlRequest, type Params, readParams } from './params.ts'
import type { Context } from './schema/context.ts'
import { findDocument } from './trusted-documents.ts'
import { createGraphqlYoga, type RequestResult, type YogaOptions } from './yoga.ts'

/** The maximum number of characters of a request that is read at once. */
const SHORT = 2_000
/** The maximum number of characters of the requests that wait for a turn: of one key, and of all. */
const MAX_PER_KEY = 2 * 2 ** 20
const MAX_TOTAL = 2 * MAX_PER_KEY

/**
 * Executes requests: on the fast path if their document is compiled, otherwise by Yoga. What may take long, a long request and all that
 * Yoga does before it waits for the database, takes turns.
 * @returns a function that returns errors if nothing was executed
 */
export function createExecutor(options: YogaOptions, turns = new Turns()) {
  const { queries, trusted } = options
  const askYoga = createGraphqlYoga(options)
  const waiting = new Counts<string>()

  function read(request: GraphqlRequest, context: Context): Params {
    const params = readParams(request)
    const query = findDocument(params, trusted, context)
    if (query == null) throw new ServiceError('INVALID_REQUEST', 'Send a query, or the documentId of one.')
    checkValues(params)
    return { ...params, query }
  }

  async function takeTurn<Result>(
    key: string,
    length: number,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (waiting.of(key) + length > MAX_PER_KEY || waiting.total + length > MAX_TOTAL)
      throw new ServiceError('OVERLOADED')
    waiting.add(key, length)
    return turns.run(key, () => {
      waiting.add(key, -length)
      return work()
    })
  }

  function execute(request: GraphqlRequest, context: Context): RequestResult | Promise<RequestResult> {
    const { length } = request.body ?? request.url
    const key = context.apiKey.name
    const method = request.method === 'POST' ? 'POST' : 'GET'
    if (length > SHORT) {
      return takeTurn(key, length, () => {
        const params = read(request, context)
        return queries.answer(params, context) ?? askYoga(params, method, context)
      })
    }
    const params = read(request, context)
    return queries.answer(params, context) ?? takeTurn(key, length, () => askYoga(params, method, context))
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
