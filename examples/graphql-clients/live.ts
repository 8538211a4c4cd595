/** Live updates by server-sent events (graphql-sse), for Apollo Client and urql alike. */
import type { FormattedExecutionResult } from 'graphql'
import { createClient, type Sink } from 'graphql-sse'

interface Request {
  query: string
  variables?: Record<string, unknown> | undefined
}

export interface LiveUpdates {
  /** @returns the function that ends the subscription */
  subscribe(request: Request, sink: Sink<FormattedExecutionResult>): () => void
}

/** Milliseconds before subscribing again; random, so that clients do not all return at once after a server restart. */
const delay = () => 500 + Math.random() * 1_000

/**
 * Subscriptions that are renewed after the server has ended them. graphql-sse itself only retries lost connections, at most five
 * times in a row.
 * @param onLive called each time a subscription starts: refetch what you display, since events may have been missed
 */
export function createLiveUpdates(url: string, key: string, onLive: () => void): LiveUpdates {
  const client = createClient({
    url,
    headers: { authorization: `Bearer ${key}` },
    on: { connected: onLive },
  })

  return {
    subscribe({ query, variables = {} }, sink) {
      let isOver = false
      let unsubscribe: () => void
      let timer: ReturnType<typeof setTimeout> | undefined

      const start = () => {
        unsubscribe = client.subscribe(
          { query, variables },
          {
            next(result) {
              // The server rejected the subscription and would reject it again.
              if (result.errors) isOver = true
              // The type describes server-side errors; errors parsed from JSON are plain objects.
              sink.next(result as FormattedExecutionResult)
            },
            error: (error) => sink.error(error),
            complete() {
              if (isOver) sink.complete()
              else timer = setTimeout(start, delay())
            },
          },
        )
      }
      start()
      return () => {
        isOver = true
        clearTimeout(timer)
        unsubscribe()
      }
    },
  }
}
