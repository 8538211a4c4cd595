/** Apollo Client, set up as described in docs/frontends.md. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, type ObservableQuery } from '@apollo/client'
import { relayStylePagination } from '@apollo/client/utilities'
import { OperationTypeNode, print } from 'graphql'
import { Observable } from 'rxjs'
import type { PetsQuery } from './generated/graphql.ts'
import { type LiveOptions, subscribe } from './live.ts'
import { fetchLongPages, firstOf } from './long-pages.ts'

export function createApolloClient(live: Omit<LiveOptions, 'onNews'>): ApolloClient {
  const onNews = () => {
    // If it fails, what is shown stays until the next event, or the next connection.
    for (const query of client.getObservableQueries()) readAgain(client, query).catch(() => undefined)
  }
  const liveLink = new ApolloLink(
    ({ query, variables }) =>
      new Observable((observer) =>
        subscribe({ query: print(query), variables }, observer, { ...live, onNews }),
      ),
  )
  // What is read after an event must include the change.
  const headers = { authorization: `Bearer ${live.apiKey}`, 'cache-control': 'no-cache' }
  const httpLink = new HttpLink({ uri: live.url, headers, fetch: fetchLongPages })
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

/** Reads a query again: a list with all the pages that it shows, since its first page alone would replace them. */
async function readAgain(client: ApolloClient, displayed: ObservableQuery): Promise<void> {
  const { query, variables } = displayed
  const countPets = () => {
    const { pets } = (client.readQuery({ query, variables }) ?? {}) as Partial<PetsQuery>
    return pets ? firstOf(pets.edges.length, Number(variables.first)) : 0
  }
  for (;;) {
    const first = countPets()
    const { data } = await client.query({
      query,
      variables: first > 0 ? { ...variables, first, after: null } : variables,
      fetchPolicy: 'no-cache',
    })
    // Meanwhile, another page may have been loaded.
    if (countPets() <= first) return void client.writeQuery({ query, variables, data })
  }
}
