/** Live changes by server-sent events. The browser's own EventSource cannot send the API key. */
import { createClient, NetworkError } from 'graphql-sse'
import { API_URL, ApiError, delayBefore } from './api.ts'
import { PetChangedDocument, type PetChangedSubscription, type PetFilter } from './generated/graphql.ts'

export type PetEvent = PetChangedSubscription['petChanged']

interface Listener {
  /** The subscription has begun, for the first time or again: read what you display, since events may have been missed. */
  onLive: () => void
  onEvent: (event: PetEvent) => void
  /** Events no longer arrive. Unless the server has rejected the subscription, it begins again soon. */
  onLost: () => void
}

/** @returns the function that ends the subscription */
export function subscribe(apiKey: string, filter: PetFilter, listener: Listener): () => void {
  let isOver = false
  let attempt = 0
  const client = createClient({
    url: API_URL,
    headers: { authorization: `Bearer ${apiKey}` },
    // The loop below retries, since the server also ends subscriptions in good order: when it stops, or may have missed events.
    retryAttempts: 0,
    on: {
      connected() {
        attempt = 0
        listener.onLive()
      },
    },
  })

  async function run(): Promise<void> {
    const operation = { query: PetChangedDocument.toString(), variables: { filter } }
    while (!isOver) {
      try {
        for await (const { data, errors } of client.iterate<PetChangedSubscription>(operation)) {
          if (errors) throw new ApiError([...errors])
          if (data) listener.onEvent(data.petChanged)
        }
      } catch (error) {
        isOver ||= isRejected(error)
      }
      listener.onLost()
      await new Promise((resolve) => setTimeout(resolve, delayBefore(attempt++)))
    }
  }
  void run()
  return () => {
    isOver = true
    client.dispose()
  }
}

/** Whether the server would reject the subscription again. The list, which is read with the same key and filter, shows why. */
function isRejected(error: unknown): boolean {
  if (!(error instanceof NetworkError)) return error instanceof ApiError
  const { response } = error as NetworkError<Response>
  return [400, 401, 403].includes(response?.status ?? 0)
}
