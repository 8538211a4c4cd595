/** urql, set up as described in docs/frontends.md. */
import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import { createLiveUpdates } from './live.ts'

export function createUrqlClient(url: string, key: string, onLive: () => void): Client {
  const live = createLiveUpdates(url, key, onLive)
  return new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${key}` } },
    exchanges: [
      cacheExchange({
        // An event has no id.
        keys: { PetEvent: () => null },
        resolvers: { Query: { pets: relayPagination() } },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({ unsubscribe: live.subscribe({ query, variables }, sink) }),
        }),
      }),
    ],
  })
}
