import { readConfig } from '../../../src/config/config.ts'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { createGraphqlYoga, type YogaOptions } from '../../../src/graphql/yoga.ts'
import { createContext } from './context.ts'

interface Answer {
  status: number
  headers: Headers
  body: { data?: unknown; errors?: { message: string; extensions: Record<string, unknown> }[] }
}

/** Yoga, set up as in the server, but without the server. */
export function createYogaClient(options: Partial<YogaOptions> = {}) {
  const { graphqlLimits: limits } = readConfig({})
  const yoga = createGraphqlYoga({
    schema,
    limits,
    trusted: { documents: new Map(), allowsOthers: () => true, hidesSuggestions: false },
    queries: new CompiledQueries(schema, limits.cost),
    ...options,
  })
  const read = async (response: Response): Promise<Answer> => ({
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  })
  return {
    /** @param body the parameters as JSON */
    async post(body: object, context = createContext()) {
      const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      return read(await yoga.fetch('http://localhost/graphql', request, context))
    },
    async get(parameters: Record<string, string>, context = createContext()) {
      const address = `http://localhost/graphql?${new URLSearchParams(parameters).toString()}`
      const headers = { accept: 'application/graphql-response+json' }
      return read(await yoga.fetch(address, { headers }, context))
    },
  }
}
