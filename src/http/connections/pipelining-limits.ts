import type { Socket } from 'node:net'

/** The maximum number of open requests, with those that one read begins, even if they are answered at once. */
const MAX_REQUESTS = 16
/** The maximum number of chunks of bodies in one read. */
const MAX_CHUNKS = 1_000

/** Limits the pipelined requests and the chunks that one read of a connection begins: Node parses all of it at once, and it may hold thousands. */
export class PipeliningLimits {
  readonly #socket: Socket
  readonly #countOpen: () => number
  /** How many bytes had been read with the latest read. */
  #bytesRead = -1
  /** The requests that were open before the latest read, and those that it has begun. */
  #requests = 0
  /** The chunks in the latest read. */
  #chunks = 0

  /** @param countOpen how many requests of the connection are open */
  constructor(socket: Socket, countOpen: () => number) {
    this.#socket = socket
    this.#countOpen = countOpen
  }

  /** Counts a request that begins. @returns whether the limit allows it */
  countRequest(): boolean {
    this.#startWithRead()
    this.#requests += 1
    return this.#requests <= MAX_REQUESTS
  }

  /** Counts a chunk of a body. @returns whether the limit allows it */
  countChunk(): boolean {
    this.#startWithRead()
    this.#chunks += 1
    return this.#chunks <= MAX_CHUNKS
  }

  /** Counts from the start if there has been another read. */
  #startWithRead(): void {
    const { bytesRead } = this.#socket
    if (bytesRead === this.#bytesRead) return
    this.#bytesRead = bytesRead
    this.#requests = this.#countOpen()
    this.#chunks = 0
  }
}
