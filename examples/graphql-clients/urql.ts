/** urql, set up as described in docs/frontends.md. */
import {
  Client,
  type Exchange,
  fetchExchange,
  type Operation,
  stringifyVariables,
  subscriptionExchange,
} from '@urql/core'
import { cacheExchange, type UpdateResolver, type Variables } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import { onPush, pipe } from 'wonka'
import type { PetsQuery, PetsQueryVariables } from './generated/graphql.ts'
import { type LiveOptions, subscribe } from './live.ts'
import { fetchLongPages, firstOf } from './long-pages.ts'

/** A query that is displayed now, and the pets that it shows, if it is a list. */
interface Displayed {
  operation: Operation
  pets?: PetsQuery['pets'] | undefined
}

export function createUrqlClient(live: Omit<LiveOptions, 'onNews'>): Client {
  /** By urql's key. */
  const displayed = new Map<number, Displayed>()
  const trackExchange: Exchange =
    ({ forward }) =>
    (operations) =>
      pipe(
        operations,
        onPush((operation) => {
          if (operation.kind === 'query') displayed.set(operation.key, { operation })
          if (operation.kind === 'teardown') displayed.delete(operation.key)
        }),
        forward,
        onPush(({ operation, data }) => {
          const query = displayed.get(operation.key)
          if (query) query.pets = (data as PetsQuery | undefined)?.pets
        }),
      )
  const onNews = () => {
    // If it fails, what is shown stays until the next event, or the next connection.
    for (const query of [...displayed.values()])
      void client
        .query(query.operation.query, variablesOf(query), { requestPolicy: 'network-only' })
        .toPromise()
  }
  const client = new Client({
    url: live.url,
    preferGetMethod: false,
    fetch: fetchLongPages,
    // What is read after an event must include the change.
    fetchOptions: { headers: { authorization: `Bearer ${live.apiKey}`, 'cache-control': 'no-cache' } },
    exchanges: [
      trackExchange,
      cacheExchange({
        // They have no id.
        keys: { PetCount: () => null, PetEvent: () => null },
        resolvers: { Query: { pets: relayPagination() } },
        updates: { Query: { pets: replacePages } },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables = {} }) => ({
          subscribe: (sink) => ({
            unsubscribe: subscribe({ query, variables }, sink, { ...live, onNews }),
          }),
        }),
      }),
    ],
  })
  return client
}

/** The variables to read a query again: for a list, all the pages that it shows. */
function variablesOf({ operation, pets }: Displayed): object {
  const variables = operation.variables as PetsQueryVariables
  return pets ? { ...variables, first: firstOf(pets.edges.length, variables.first), after: null } : variables
}

/**
 * A list that is read from its beginning replaces all of its pages, to which `relayPagination` would otherwise add it. One that was loaded
 * meanwhile, after the last pet of the list, stays.
 */
const replacePages: UpdateResolver<unknown> = (_, args, cache) => {
  const list = cache.resolve('Query', 'pets', args)
  if (args.after || typeof list !== 'string') return
  const end = cache.resolve(cache.resolve(list, 'pageInfo') as string, 'endCursor')
  for (const field of cache.inspectFields('Query'))
    if (field.fieldName === 'pets' && listOf(field.arguments) === listOf(args))
      if (end === null || field.arguments?.after !== end) cache.link('Query', 'pets', field.arguments, list)
}

/** What tells one list from another. */
const listOf = (args: Variables | null) =>
  stringifyVariables({ filter: args?.filter, orderBy: args?.orderBy })
