/** The memory of each request with a valid key, from the first byte of its body until its answer is gone. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { MemoryBudget } from '../base/memory-budget.ts'
import { RequestMemory, type ResponseState } from '../base/request-memory.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** null until the request has been authenticated; `memoryOf` is for where it has been. */
    memory: RequestMemory | null
  }
}

/** Opens the memory of each request before its body is read; after the hooks that check its key. */
export function registerRequestMemory(app: FastifyInstance, budget: MemoryBudget): void {
  app.decorateRequest('memory', null)
  app.addHook('preParsing', (request, reply, _, done) => {
    const { apiKey, raw } = request
    if (apiKey)
      request.memory = new RequestMemory(budget, apiKey.name, new OpenResponse(reply.raw), headerBytes(raw))
    done()
  })
}

/** The memory of a request with a valid key. */
export function memoryOf({ memory }: FastifyRequest): RequestMemory {
  if (!memory) throw new Error('the route requires no API key')
  return memory
}

function headerBytes({ rawHeaders }: IncomingMessage): number {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length
  return bytes
}

/** A class: an object literal with a getter takes far longer to create, and every request creates one. */
export class OpenResponse implements ResponseState {
  readonly #raw: ServerResponse

  constructor(raw: ServerResponse) {
    this.#raw = raw
  }

  get isClosed(): boolean {
    return this.#raw.closed
  }

  onClose(listener: () => void): void {
    if (this.#raw.closed) listener()
    else this.#raw.once('close', listener)
  }
}
