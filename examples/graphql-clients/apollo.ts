/** Apollo Client, set up as described in docs/frontends.md. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client'
import { relayStylePagination } from '@apollo/client/utilities'
import { OperationTypeNode, print } from 'graphql'
import { Observable } from 'rxjs'
import { type LiveOptions, subscribe } from './live.ts'

export function createApolloClient(live: LiveOptions): ApolloClient {
  const onLive = () => {
    void client.refetchQueries({ include: 'active' })
    live.onLive()
  }
  const liveLink = new ApolloLink(
    ({ query, variables }) =>
      new Observable((observer) =>
        subscribe({ query: print(query), variables }, observer, { ...live, onLive }),
      ),
  )
  // A query that is refetched after an event must include the change.
  const headers = { authorization: `Bearer ${live.apiKey}`, 'cache-control': 'no-cache' }
  const httpLink = new HttpLink({ uri: live.url, headers })
  const client = new ApolloClient({
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      liveLink,
      httpLink,
    ),
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { pets: relayStylePagination(['filter', 'orderBy']) } } },
    }),
  })
  return client
}
