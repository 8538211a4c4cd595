import type { ServerResponse } from 'node:http'
import { ServiceError } from '../base/errors.ts'
import type { EventText, MemoryBudget } from '../base/memory-budget.ts'
import { EVENTS, type Job, turns } from '../base/turns.ts'

/** Milliseconds between two comments, by which proxies and clients see that the stream is alive. */
const PING_INTERVAL_MS = 12_000
const PING = ':\n\n'
const COMPLETE = 'event: complete\ndata:\n\n'

export interface EventStreamOptions {
  budget: MemoryBudget
  /** What a subscriber needs to refetch from any server; null: nothing. */
  readToken: () => string | null
}

/**
 * Sends events to one subscriber (GraphQL over server-sent events, distinct connections). The next event is written when the socket
 * has taken the last one. A subscriber that takes none loses its connection when others need the memory, or by the timeout of the
 * server.
 * @param response its headers have been written
 * @param events writes the text of each event, except its end
 * @returns resolves when the stream has ended: with the events, the connection, or an event that is too large or has no memory
 */
export async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<() => Job<EventText>>,
  options: EventStreamOptions,
): Promise<void> {
  response.write(PING)
  // Behind what a subscriber has not read, comments would only add to it.
  const ping = setInterval(() => response.writableLength === 0 && response.write(PING), PING_INTERVAL_MS)
  response.once('close', () => clearInterval(ping))
  for await (const write of events) {
    const isTaken = await turns.run(EVENTS, send(response, write, options))
    if (!isTaken) break
  }
  if (!response.closed) response.end(COMPLETE)
}

/** Writes one event. @returns whether the socket has taken it, once that is known */
function* send(
  response: ServerResponse,
  write: () => Job<EventText>,
  { budget, readToken }: EventStreamOptions,
): Job<boolean | Promise<boolean>> {
  if (response.closed) return false
  try {
    const text = yield* write()
    const release = budget.holdEvent(text, () => response.socket?.resetAndDestroy())
    const taken = writeEvent(response, text, readToken()).finally(release)
    yield text.length
    return taken
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

/** @returns resolves when the socket has taken the event, or is closed: to whether it has taken it */
function writeEvent(response: ServerResponse, { bytes }: EventText, token: string | null): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = () => resolve(false)
    response.once('close', onClose)
    response.cork()
    response.write(bytes)
    const extensions = token === null ? '' : `,"extensions":${JSON.stringify({ consistencyToken: token })}`
    response.write(`${extensions}}\n\n`, (error) => {
      response.off('close', onClose)
      resolve(!error)
    })
    response.uncork()
  })
}

/** The stream of a subscription that could not begin: its errors. */
export function sendResult(response: ServerResponse, result: object): void {
  response.end(`${PING}event: next\ndata: ${JSON.stringify(result)}\n\n${COMPLETE}`)
}
