import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from './db/database.ts'
import { Session } from './db/session.ts'
import type { Context } from './graphql/schema/context.ts'
import { apiKeyOf } from './http/api-key-hook.ts'
import { type ClientConnection, MemoryBudget } from './memory-budget.ts'

/**
 * Creates the context of each request, for both APIs.
 * @param isDemo whether GraphiQL has the demo key filled in
 */
export function contextFactory(database: Database, isDemo: boolean) {
  const budget = new MemoryBudget()
  return (request: FastifyRequest, { raw }: FastifyReply): Context => {
    const apiKey = apiKeyOf(request)
    const connection = connectionOf(raw)
    return {
      session: new Session(database, apiKey.name, budget.open(connection), connection),
      connection,
      apiKey,
      // GraphiQL sends this header with every request.
      isDemoGraphiql: isDemo && request.headers['x-graphiql'] === 'true',
      log: request.log,
      report: request,
    }
  }
}

function connectionOf(raw: FastifyReply['raw']): ClientConnection {
  return {
    get isClosed() {
      return raw.closed
    },
    onClose(listener) {
      if (raw.closed) listener()
      else raw.once('close', listener)
    },
  }
}
