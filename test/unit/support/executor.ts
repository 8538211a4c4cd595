import type { ExecutionResult } from 'graphql'
import type { Turns } from '../../../src/base/turns.ts'
import { readConfig } from '../../../src/config/config.ts'
import { toAnswer } from '../../../src/graphql/answer.ts'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { createExecutor } from '../../../src/graphql/executor.ts'
import type { GraphqlRequest } from '../../../src/graphql/params.ts'
import type { YogaOptions } from '../../../src/graphql/yoga.ts'
import type { Context } from '../../../src/graphql/schema/context.ts'
import { GRAPHQL_RESPONSE } from '../../../src/graphql/media-types.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from './context.ts'

interface Answer {
  status: number
  headers: Headers
  body: { data?: unknown; errors?: { message: string; extensions: Record<string, unknown> }[] }
}

/** Executes requests as in the server, but without the server. */
export function createExecutorClient(options: Partial<YogaOptions> = {}, turns?: Turns) {
  const limits = options.limits ?? readConfig({}).graphqlLimits
  const execute = createExecutor(
    {
      schema,
      limits,
      trusted: { documents: new Map(), allowsOthers: () => true, hidesSuggestions: false },
      queries: new CompiledQueries(schema, limits.cost),
      ...options,
    },
    turns,
  )
  async function send(request: GraphqlRequest, context: Context): Promise<Answer> {
    const result = (await execute(request, context)) as ExecutionResult
    const answer = toAnswer(result, GRAPHQL_RESPONSE, context)
    const { status, headers } = answer
    return {
      status,
      headers: new Headers(headers),
      body: JSON.parse(JSON.stringify(answer.result)) as Answer['body'],
    }
  }
  return {
    /** @param body the parameters as JSON */
    post: (body: object, context = createContext()) =>
      send({ method: 'POST', url: '/graphql', body: JSON.stringify(body) }, context),
    get: (parameters: Record<string, string>, context = createContext()) =>
      send({ method: 'GET', url: `/graphql?${new URLSearchParams(parameters).toString()}` }, context),
  }
}
