/** Apollo Client and urql with subscriptions of their own: less to copy, but once such a subscription has ended, it does not come back. */
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client'
import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'

export interface PlainOptions {
  /** Of the GraphQL API. */
  url: string
  apiKey: string
  /** By default, the global one. */
  fetch?: typeof fetch
}

export function createPlainApolloClient({ url, apiKey, ...options }: PlainOptions): ApolloClient {
  const headers = { authorization: `Bearer ${apiKey}` }
  return new ApolloClient({
    link: new HttpLink({ uri: url, headers, ...options }),
    cache: new InMemoryCache(),
  })
}

export function createPlainUrqlClient({ url, apiKey, ...options }: PlainOptions): Client {
  return new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${apiKey}` } },
    fetchSubscriptions: true,
    exchanges: [cacheExchange({ keys: { PetCount: () => null, PetEvent: () => null } }), fetchExchange],
    ...options,
  })
}
