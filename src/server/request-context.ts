import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { Session } from '../db/session.ts'
import type { Context } from '../graphql/schema/context.ts'
import { apiKeyOf } from '../http/api-key-hook.ts'
import { readConsistencyToken } from '../http/headers.ts'
import { type ClientConnection, MemoryBudget } from '../base/memory-budget.ts'

/**
 * Creates the context of each request, for both APIs.
 * @param isDemo whether GraphiQL has the demo key filled in
 */
export function contextFactory(database: Database, isDemo: boolean) {
  const budget = new MemoryBudget()
  const readsToken = database.readers.all.length > 0
  return (request: FastifyRequest, { raw }: FastifyReply): Context => {
    const apiKey = apiKeyOf(request)
    const connection = new ResponseConnection(raw)
    return {
      session: new Session(
        database,
        apiKey.name,
        budget.open(apiKey.name, connection),
        connection,
        readsToken ? readConsistencyToken(request) : undefined,
      ),
      connection,
      apiKey,
      // GraphiQL sends this header with every request.
      isDemoGraphiql: isDemo && request.headers['x-graphiql'] === 'true',
      log: request.log,
      report: request,
    }
  }
}

/** A class: an object literal with a getter takes far longer to create, and every request creates one. */
class ResponseConnection implements ClientConnection {
  readonly #raw: FastifyReply['raw']

  constructor(raw: FastifyReply['raw']) {
    this.#raw = raw
  }

  get isClosed(): boolean {
    return this.#raw.closed
  }

  get isBehind(): boolean {
    const { socket } = this.#raw
    return socket === null || socket.writableLength > 0
  }

  onClose(listener: () => void): void {
    if (this.#raw.closed) listener()
    else this.#raw.once('close', listener)
  }
}
