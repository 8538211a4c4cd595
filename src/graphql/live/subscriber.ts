import type { ClientResponse } from '../../base/client-response.ts'
import type { StreamFormat } from './event-streams.ts'

/** The maximum number of bytes that wait for a subscriber, besides those in the buffers of the system. In the process, a short event takes several times its size. */
const MAX_UNREAD = 16 * 2 ** 10

/** The response to a subscriber, as of node:http: whose headers have been written. */
interface EventStream extends ClientResponse {
  write(chunk: Buffer | string): unknown
  end(chunk: Buffer | string): unknown
  /** The number of bytes that wait in the process. */
  readonly writableLength: number
}

type State =
  /** Its response has not begun, so it gets no events. */
  | { is: 'waiting' }
  | { is: 'streaming'; response: EventStream }
  /** Its place is free, and it gets no more events. */
  | { is: 'left' }

/** One subscription: waiting, then streaming until its client goes, reads too slowly, or there are no more events; then it has left. */
export class Subscriber {
  readonly #format: StreamFormat
  readonly #onLeave: () => void
  #state: State = { is: 'waiting' }

  /** @param onLeave called once */
  constructor(format: StreamFormat, onLeave: () => void) {
    this.#format = format
    this.#onLeave = onLeave
  }

  get contentType(): string {
    return this.#format.contentType
  }

  /** Streams events to a response, until either side ends it. */
  begin(response: EventStream): void {
    if (response.destroyed) return this.leave()
    response.write(this.#format.start)
    // The events ended meanwhile.
    if (this.#state.is === 'left') response.end(this.#format.end)
    else {
      this.#state = { is: 'streaming', response }
      response.once('close', () => this.leave())
    }
  }

  /** Writes an event. A client that reads too slowly gets no more: its stream ends. */
  send(event: Buffer): void {
    if (this.#state.is !== 'streaming') return
    const { response } = this.#state
    const isSlow = response.writableLength > MAX_UNREAD
    if (isSlow) this.end()
    else response.write(event)
  }

  ping(): void {
    if (this.#state.is !== 'streaming') return
    const { response } = this.#state
    // To a client that has not read everything, a ping would only add to that.
    if (response.writableLength === 0) response.write(this.#format.ping)
  }

  /**
   * There are no more events: its stream ends, or will when it begins. What a slow client has not read then stays until the time limit of its
   * connection (http/create-fastify.ts).
   */
  end(): void {
    const state = this.#state
    this.leave()
    if (state.is === 'streaming') state.response.end(this.#format.end)
  }

  leave(): void {
    if (this.#state.is === 'left') return
    this.#state = { is: 'left' }
    this.#onLeave()
  }
}
