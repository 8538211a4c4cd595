/** Live updates over graphql-sse, for Apollo Client and urql alike. */
import type { FormattedExecutionResult } from 'graphql'
import { createClient, type Sink } from 'graphql-sse'

interface Request {
  query: string
  variables?: Record<string, unknown> | undefined
}

export interface LiveUpdates {
  /** @returns what ends it */
  subscribe(request: Request, sink: Sink<FormattedExecutionResult>): () => void
}

/** Not all clients at once, when a server has been started again. */
const delay = () => 500 + Math.random() * 1_000

/**
 * Subscriptions that go on: graphql-sse makes one again that is cut off, at most five times in a row, but none that ends well.
 * @param onLive what is shown is to be read again now: there may have been changes that nobody heard of
 */
export function createLiveUpdates(url: string, key: string, onLive: () => void): LiveUpdates {
  const client = createClient({
    url,
    headers: { authorization: `Bearer ${key}` },
    on: { connected: onLive },
  })
  return {
    subscribe({ query, variables = {} }, sink) {
      let over = false
      let stop: () => void
      let timer: ReturnType<typeof setTimeout> | undefined
      const start = () => {
        stop = client.subscribe(
          { query, variables },
          {
            next(result) {
              // Refused for what it asks for, which it would be again.
              over ||= result.errors !== undefined
              // Typed as a server has it; out of JSON, errors are plain objects.
              sink.next(result as FormattedExecutionResult)
            },
            error: (error) => sink.error(error),
            complete() {
              if (over) sink.complete()
              else timer = setTimeout(start, delay())
            },
          },
        )
      }
      start()
      return () => {
        over = true
        clearTimeout(timer)
        stop()
      }
    },
  }
}
