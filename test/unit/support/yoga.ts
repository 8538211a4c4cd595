import { readConfig } from '../../../src/config/config.ts'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { type Result, writeAnswer } from '../../../src/graphql/answer-text.ts'
import type { Context } from '../../../src/graphql/schema/context.ts'
import { createGraphqlYoga, type YogaAnswer, type YogaOptions } from '../../../src/graphql/yoga.ts'
import { createContext } from './context.ts'

interface Answer {
  status: number
  headers: Headers
  body: { data?: unknown; errors?: { message: string; extensions: Record<string, unknown> }[] }
}

/** Yoga, set up as in the server, but without the server. */
export function createYogaClient(options: Partial<YogaOptions> = {}) {
  const { graphqlLimits: limits } = readConfig({})
  const askYoga = createGraphqlYoga({
    schema,
    limits,
    trusted: { documents: new Map(), allowsOthers: () => true, hidesSuggestions: false },
    queries: new CompiledQueries(schema, limits.cost),
    ...options,
  })
  const read = async ({ response, answer }: YogaAnswer, context: Context): Promise<Answer> => {
    const { status, headers } = response
    const result = answer as Result
    const written = await writeAnswer({ status, headers: Object.fromEntries(headers), result }, context)
    return {
      status: written.status,
      headers: new Headers(written.headers),
      body: JSON.parse(written.body.toString()) as Answer['body'],
    }
  }
  return {
    /** @param body the parameters as JSON */
    async post(body: object, context = createContext()) {
      const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      return read(await askYoga('http://localhost/graphql', request, context), context)
    },
    async get(parameters: Record<string, string>, context = createContext()) {
      const address = `http://localhost/graphql?${new URLSearchParams(parameters).toString()}`
      const headers = { accept: 'application/graphql-response+json' }
      return read(await askYoga(address, { headers }, context), context)
    },
  }
}
