import type { ServerResponse } from 'node:http'
import type { EventText, MemoryBudget } from '../base/memory-budget.ts'
import { turns } from '../base/turns.ts'

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
 * @param events makes the text of each event, except its end
 * @returns resolves when the stream has ended
 */
export async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<() => EventText>,
  { budget, readToken }: EventStreamOptions,
): Promise<void> {
  response.write(PING)
  // Behind what a subscriber has not read, comments would only add to it.
  const ping = setInterval(() => response.writableLength === 0 && response.write(PING), PING_INTERVAL_MS)
  response.once('close', () => clearInterval(ping))
  for await (const write of events) {
    const taken = Promise.withResolvers<boolean>()
    await turns.run(() => {
      const text = write()
      if (response.closed) taken.resolve(false)
      else send(response, text, readToken(), budget, taken.resolve)
      return text
    })
    if (!(await taken.promise)) break
  }
  if (!response.closed) response.end(COMPLETE)
}

/** @param onTaken receives whether the socket has taken the text; false: there was no memory for it, or the connection is closed */
function send(
  response: ServerResponse,
  text: EventText,
  token: string | null,
  budget: MemoryBudget,
  onTaken: (isSent: boolean) => void,
): void {
  const release = budget.holdEvent(text, () => response.socket?.resetAndDestroy())
  if (!release) {
    onTaken(false)
    return
  }
  // Node may never answer a write if the connection closes.
  const onClose = () => onEnd(false)
  const onEnd = (isTaken: boolean) => {
    response.off('close', onClose)
    release()
    onTaken(isTaken)
  }
  response.once('close', onClose)
  response.cork()
  response.write(text.bytes)
  const extensions = token === null ? '' : `,"extensions":${JSON.stringify({ consistencyToken: token })}`
  response.write(`${extensions}}\n\n`, (error) => onEnd(!error))
  response.uncork()
}

/** The stream of a subscription that could not begin: its errors. */
export function sendResult(response: ServerResponse, result: object): void {
  response.end(`${PING}event: next\ndata: ${JSON.stringify(result)}\n\n${COMPLETE}`)
}
