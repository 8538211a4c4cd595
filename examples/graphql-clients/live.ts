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

/** Milliseconds before the next subscription; random, so that not all clients come at once after a restart of the server. */
const delay = () => 500 + Math.random() * 1_000

/**
 * Subscriptions that continue after the server has ended them. graphql-sse retries lost connections only, at most five times in a row.
 * @param onLive called when a subscription starts, and starts again: read again what you show, since events may have been missed
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
              // The server rejected the subscription, and would do so again.
              if (result.errors) isOver = true
              // The type is the server's; errors that were parsed from JSON are plain objects.
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
