/** Apollo Client, set up as described in docs/frontends.md. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client'
import { relayStylePagination } from '@apollo/client/utilities'
import { OperationTypeNode, print } from 'graphql'
import { Observable } from 'rxjs'
import { createLiveUpdates } from './live.ts'

export function createApolloClient(url: string, key: string, onLive: () => void): ApolloClient {
  const live = createLiveUpdates(url, key, onLive)
  const liveLink = new ApolloLink(
    ({ query, variables }) =>
      new Observable((observer) => live.subscribe({ query: print(query), variables }, observer)),
  )
  const httpLink = new HttpLink({ uri: url, headers: { authorization: `Bearer ${key}` } })
  return new ApolloClient({
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      liveLink,
      httpLink,
    ),
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { pets: relayStylePagination(['filter', 'orderBy']) } } },
    }),
  })
}
