import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Lease, type MemoryBudget, NO_KEY } from '../../base/memory-budget.ts'

/** What Node's HTTP server keeps on a socket. It has no other way to stop its parser amid the 64 kB that it has read. */
interface Parser {
  /** Called when the headers of a request are complete. @returns what the parser does next; 0: it goes on */
  onIncoming: (request: Incoming, keepAlive: boolean) => number
  resume: () => void
}
type Incoming = IncomingMessage & { upgrade: boolean }
type HttpSocket = Socket & { parser: Parser | null }

/** Pauses the parser (llhttp's HPE_PAUSED). Node reports it as `clientError`, with the bytes that it has not parsed. */
const PAUSE = 21
/** The bytes that the parser gets in one step: a chunk of a body may have one byte. */
const STEP_BYTES = 2 ** 10
/** The steps of all connections in one turn of the event loop, each of which begins a request at most: a new connection may wait a turn for each before it. */
const STEPS_IN_TURN = 2
/** The most that Node may keep of a connection that is not read. */
const WAITING_BYTES = 192 * 2 ** 10
/** How long something may wait behind an open request. */
const MAX_WAIT_MS = 10_000

/**
 * A connection that has one open request. What its client sends behind that waits, and does not begin, until the answer has been sent.
 * Node itself reads from a connection until its client sends several requests at once, or a body in chunks: either costs far more than
 * its bytes, so from then on Node's parser gets few of them in each turn of the event loop.
 */
export class OpenConnection {
  readonly socket: HttpSocket
  readonly #budget: MemoryBudget
  /** The answer that is due or being sent. */
  #answer: ServerResponse | null = null
  #onAnswered: (() => void) | null = null
  /** Begins the request at which the parser has been paused. */
  #begin: (() => void) | null = null
  /** Gives bytes to the parser; null while Node reads them itself. */
  #parse: ((bytes: Buffer) => void) | null = null
  #isScheduled = false
  #steps = 0
  /** Where the last request has come from: the number of its step, or of bytes that Node had read. */
  #lastInput = -1
  #waiting: { lease: Lease; timer: NodeJS.Timeout } | null = null

  constructor(socket: Socket, budget: MemoryBudget) {
    this.socket = socket as HttpSocket
    this.#budget = budget
    const { parser } = this.socket
    if (!parser) return
    const { onIncoming } = parser
    parser.onIncoming = (request, keepAlive) => {
      if (!this.#mustWait(request)) return onIncoming(request, keepAlive)
      this.#begin = () => void onIncoming(request, keepAlive)
      return PAUSE
    }
  }

  #mustWait({ method, headers, upgrade }: Incoming): boolean {
    // Node takes its parser off the connection.
    if (method === 'CONNECT') return false
    if (this.#answer || this.#isFromSameInput()) return true
    if (this.#parse || headers['transfer-encoding'] === undefined) return false
    // Here the parser cannot be paused: only what Node reads later comes in steps.
    if (upgrade) this.readInSteps(Buffer.of())
    return !upgrade
  }

  /** Whether one request has begun already of the bytes that the parser has been given: it could be answered before the next one is read. */
  #isFromSameInput(): boolean {
    const input = this.#parse ? this.#steps : this.socket.bytesRead
    const isSame = input === this.#lastInput
    this.#lastInput = input
    return isSame
  }

  begin(answer: ServerResponse): void {
    this.#answer = answer
  }

  end(): void {
    const { req } = this.#answer ?? {}
    this.#answer = null
    if (this.#onAnswered === null) {
      if (this.#parse) this.#schedule()
    } else if (req?.complete) {
      this.#onAnswered()
    } else {
      // A request that is not complete has its answer now.
      this.socket.end()
    }
  }

  /** The next answer is the last one. */
  closeAfterAnswer(): void {
    if (this.#answer) this.#answer.shouldKeepAlive = false
  }

  /**
   * Calls back when no answer is due; at once if none is. Only the first call counts. If an answer has begun, the connection is closed
   * instead: what is written now would be taken for a part of it.
   */
  afterAnswer(callback: () => void): void {
    if (this.#onAnswered) return
    this.#begin = null
    const { headersSent = false, req } = this.#answer ?? {}
    if (headersSent) this.socket.destroy()
    else if (req?.complete) this.#onAnswered = callback
    else callback()
  }

  /** @param rest what Node's parser has left */
  readInSteps(rest: Buffer): void {
    if (!this.#parse) {
      // Node's own listener, which parses.
      const [parse] = this.socket.listeners('data') as ((bytes: Buffer) => void)[]
      if (!parse) return
      this.socket.off('data', parse)
      this.#parse = parse
      this.socket.on('readable', () => this.#schedule())
    }
    if (rest.length > 0) this.socket.unshift(rest)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    if (scheduled.push(this) === 1) setImmediate(takeSteps)
  }

  takeStep(): void {
    this.#isScheduled = false
    this.#steps += 1
    const { socket } = this
    if (!socket.parser || socket.destroyed) return
    if (this.#answer && !isBeingRead(this.#answer.req)) return this.#wait(this.#answer.req)
    this.stopWaiting()
    const begin = this.#begin
    this.#begin = null
    begin?.()
    socket.parser.resume()
    const bytes = begin
      ? NOTHING
      : (socket.read(Math.min(STEP_BYTES, socket.readableLength)) as Buffer | null)
    if (!bytes) return
    this.#parse?.(bytes)
    this.#schedule()
  }

  /** Waits for the answer, or for something that reads the body. */
  #wait(request: IncomingMessage): void {
    if (!request.complete && request.listenerCount('resume', this.#onResume) === 0)
      request.once('resume', this.#onResume)
    if (this.#waiting || (!this.#begin && this.socket.readableLength === 0)) return
    const giveUp = () => this.socket.resetAndDestroy()
    try {
      const lease = this.#budget.acquire(NO_KEY, WAITING_BYTES)
      this.#waiting = { lease, timer: setTimeout(giveUp, MAX_WAIT_MS) }
    } catch {
      giveUp()
    }
  }

  readonly #onResume = () => this.#schedule()

  stopWaiting(): void {
    this.#waiting?.lease[Symbol.dispose]()
    clearTimeout(this.#waiting?.timer)
    this.#waiting = null
  }
}

/** Connections with a step to take in a later turn. */
const scheduled: OpenConnection[] = []

function takeSteps(): void {
  const steps = scheduled.splice(0, STEPS_IN_TURN)
  if (scheduled.length > 0) setImmediate(takeSteps)
  for (const connection of steps) connection.takeStep()
}

/** Lets the parser go on from where it was paused. It must not be null, which would mean the end. */
const NOTHING = Buffer.alloc(1).subarray(0, 0)

function isBeingRead(request: IncomingMessage): boolean {
  return !request.complete && request.readableFlowing === true
}
