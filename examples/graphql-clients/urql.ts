/** urql, set up as described in docs/frontends.md. */
import { Client, type Exchange, fetchExchange, type Operation, subscriptionExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import { onPush, pipe } from 'wonka'
import { type LiveOptions, subscribe } from './live.ts'

export function createUrqlClient(live: LiveOptions): Client {
  /** The queries that are displayed now, by urql's key. */
  const active = new Map<number, Operation>()
  const track = onPush<Operation>((operation) => {
    if (operation.kind === 'query') active.set(operation.key, operation)
    if (operation.kind === 'teardown') active.delete(operation.key)
  })
  const trackExchange: Exchange =
    ({ forward }) =>
    (operations) =>
      forward(pipe(operations, track))
  const onLive = () => {
    for (const query of active.values())
      client.reexecuteOperation(
        client.createRequestOperation('query', query, { requestPolicy: 'network-only' }),
      )
    live.onLive()
  }
  const client = new Client({
    url: live.url,
    preferGetMethod: false,
    // A query that is refetched after an event must include the change.
    fetchOptions: { headers: { authorization: `Bearer ${live.apiKey}`, 'cache-control': 'no-cache' } },
    exchanges: [
      trackExchange,
      cacheExchange({
        // They have no id.
        keys: { PetCount: () => null, PetEvent: () => null },
        resolvers: { Query: { pets: relayPagination() } },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables = {} }) => ({
          subscribe: (sink) => ({
            unsubscribe: subscribe({ query, variables }, sink, { ...live, onLive }),
          }),
        }),
      }),
    ],
  })
  return client
}
