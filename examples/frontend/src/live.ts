/**
 * Subscriptions by server-sent events that come back whenever the server does: for Apollo Client, urql, or no client library. The
 * browser's own EventSource cannot send an API key.
 */
import { createClient, NetworkError, type RequestParams, type Sink } from 'graphql-sse'

export interface LiveResult<Data> {
  data?: Data | null
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[]
  extensions?: Record<string, unknown>
}

export interface LiveOptions {
  /** Of the GraphQL API. */
  url: string
  apiKey: string
  /** Events arrive, for the first time or again. */
  onLive?: () => void
  /** Read again what you display: soon after an event, however many there are, and after `onLive`, since some may have been missed. */
  onNews: () => void
  /** Events no longer arrive. Unless the server has rejected the subscription, they will again. */
  onLost?: () => void
  /** Milliseconds before each attempt to subscribe again, the first of which is 0. */
  delayBefore?: (attempt: number) => number
  /** Milliseconds without a byte after which the connection counts as broken. The server sends a ping every 12 seconds. */
  maxSilence?: number
}

/** Milliseconds from an event to the call of `onNews`. */
const NEWS_AFTER = 300

/** Longer from attempt to attempt; random, so that clients do not all return at once after a restart of the server. */
export const delayBefore = (attempt: number): number =>
  Math.min(10_000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2)

/**
 * @param sink gets the events; it ends only if the server rejects the subscription
 * @returns the function that ends the subscription
 */
export function subscribe<Data>(
  request: RequestParams,
  sink: Sink<LiveResult<Data>>,
  options: LiveOptions,
): () => void {
  let isOver = false
  let attempt = 0
  /** Ends a silent connection, or a pause. */
  let timer: ReturnType<typeof setTimeout> | undefined
  let events: AsyncIterator<LiveResult<Data>> | undefined
  let news: ReturnType<typeof setTimeout> | undefined

  function announceNews() {
    news ??= setTimeout(() => {
      news = undefined
      options.onNews()
    }, NEWS_AFTER)
  }
  function onBytes() {
    clearTimeout(timer)
    timer = setTimeout(() => void events?.return?.(), options.maxSilence ?? 30_000)
  }
  const client = createClient({
    url: options.url,
    headers: { authorization: `Bearer ${options.apiKey}` },
    // By itself, graphql-sse tries again five times, and not at all when the server ends the subscription: when it stops, or may
    // have missed events.
    retryAttempts: 0,
    async fetchFn(url: string, init: RequestInit) {
      onBytes()
      return notice(await fetch(url, init), onBytes)
    },
    on: {
      connected() {
        attempt = 0
        options.onLive?.()
        announceNews()
      },
    },
  })

  async function run(): Promise<void> {
    let isRejected = false
    while (!isRejected) {
      try {
        const results = client.iterate<Data, Record<string, unknown>>(request)
        events = results
        for await (const result of results) {
          sink.next(result)
          announceNews()
          // An event has data, be it null.
          isRejected ||= !('data' in result)
        }
        if (isRejected) sink.complete()
      } catch (error) {
        isRejected = isRejection(error)
        if (isRejected) sink.error(error)
      }
      clearTimeout(timer)
      if (isOver) return
      options.onLost?.()
      const delay = (options.delayBefore ?? delayBefore)(attempt++)
      if (!isRejected) await new Promise((resolve) => (timer = setTimeout(resolve, delay)))
    }
  }
  void run()
  return () => {
    isOver = true
    clearTimeout(timer)
    clearTimeout(news)
    client.dispose()
  }
}

/** @returns the same response, which calls `onBytes` whenever bytes arrive */
function notice(response: Response, onBytes: () => void): Response {
  const bytes = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes()
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body?.pipeThrough(bytes) ?? null, response)
}

/** Whether the server would reject the subscription again. While it is away, a proxy may send any other error. */
function isRejection(error: unknown): boolean {
  if (!(error instanceof NetworkError)) return false
  const { response } = error as NetworkError<Response>
  return [400, 401, 403].includes(response?.status ?? 0)
}
