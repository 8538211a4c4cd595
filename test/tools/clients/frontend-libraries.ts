/** The GraphQL libraries of frontends, set up as in examples/, behind one interface. */
import { expect, onTestFinished } from 'vitest'
import { createApolloClient } from '../../../examples/graphql-clients/apollo.ts'
import {
  CreatePetDocument,
  type NewPet,
  type PetChanges,
  PetChangedDocument,
  type PetChangedSubscription,
  PetDocument,
  type PetFieldsFragment,
  type PetFilter,
  PetsDocument,
  type PetsQuery,
  type PetsQueryVariables,
  UpdatePetDocument,
} from '../../../examples/graphql-clients/generated/graphql.ts'
import type { LiveOptions } from '../../../examples/graphql-clients/live.ts'
import { createPlainApolloClient, createPlainUrqlClient } from '../../../examples/graphql-clients/plain.ts'
import { createUrqlClient } from '../../../examples/graphql-clients/urql.ts'
import { eventually } from '../../support/eventually.ts'

type Pet = PetFieldsFragment
type PetEvent = PetChangedSubscription['petChanged']
type PetPage = PetsQuery['pets']

/** The result of an operation; GraphQL errors are listed, any other error fails the test. */
interface Result<Data> {
  data: Data | null | undefined
  errors: readonly object[]
}

export interface FrontendClient {
  /** Asks the server, not the cache. */
  getPet(id: string): Promise<Result<Pet>>
  listPets(variables: PetsQueryVariables): Promise<Result<PetPage>>
  /** Loads the page after this cursor into the same list of the cache. */
  loadMore(variables: PetsQueryVariables, after: string | null): Promise<Result<PetPage>>
  /** Displays the first page until the test has finished. */
  watchPets(variables: PetsQueryVariables): DisplayedList
  /** The pets on all cached pages. */
  readCachedPets(variables: PetsQueryVariables): Pet[]
  createPet(input: NewPet): Promise<Result<Pet>>
  /** @param expected by default, anything */
  updatePet(id: string, input: PetChanges, expected?: PetChanges): Promise<Result<Pet>>
  /** @param listener gets any other error, too @returns a function that ends the subscription */
  subscribe(filter: PetFilter | null, listener: (result: Result<PetEvent>) => void): () => void
}

/** A list that is displayed, as a component would do it. */
export interface DisplayedList {
  /** What it has shown so far: last what it shows now. */
  states: Pet[][]
  /** Shows one more page. */
  more: () => Promise<void>
}

export type CreateClient = (options: Omit<LiveOptions, 'onNews'>) => FrontendClient

const nodesOf = (list: PetsQuery | null | undefined) => list?.pets.edges.map(({ node }) => node) ?? []

export const createApollo: CreateClient = (options) => adaptApollo(createApolloClient(options))

export const createPlainApollo: CreateClient = ({ onLive, ...options }) =>
  adaptApollo(createPlainApolloClient({ ...options, fetch: fetchAndNotice('multipart/mixed', onLive) }))

/** @param onLive called for each answer of this type */
function fetchAndNotice(type: string, onLive: LiveOptions['onLive']): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.headers.get('content-type')?.startsWith(type)) onLive?.()
    return response
  }
}

function adaptApollo(client: ReturnType<typeof createApolloClient>): FrontendClient {
  const errorPolicy = 'all'
  const listPets = async (variables: PetsQueryVariables) => {
    const { data, error } = await client.query({ query: PetsDocument, variables, errorPolicy })
    return { data: data?.pets, errors: apolloErrors(error) }
  }
  return {
    async getPet(id) {
      const options = {
        query: PetDocument,
        variables: { id },
        errorPolicy,
        fetchPolicy: 'network-only',
      } as const
      const { data, error } = await client.query(options)
      return { data: data?.pet, errors: apolloErrors(error) }
    },
    listPets,
    async loadMore(variables, after) {
      const list = client.watchQuery({ query: PetsDocument, variables })
      const { data, error } = await list.fetchMore({ variables: { after } })
      return { data: data.pets, errors: apolloErrors(error) }
    },
    watchPets(variables) {
      const states: Pet[][] = []
      const list = client.watchQuery({ query: PetsDocument, variables })
      const subscription = list.subscribe(({ data }) => states.push(nodesOf(data as PetsQuery | undefined)))
      onTestFinished(() => subscription.unsubscribe())
      const more = async () => {
        const { pets: shown } = list.getCurrentResult().data as PetsQuery
        const { data } = await list.fetchMore({ variables: { after: shown.pageInfo.endCursor } })
        const pets = shown.edges.length + data.pets.edges.length
        await eventually(() => expect(states.at(-1)?.length).toBeGreaterThanOrEqual(pets))
      }
      return { states, more }
    },
    readCachedPets: (variables) => nodesOf(client.readQuery({ query: PetsDocument, variables })),
    async createPet(input) {
      const options = { mutation: CreatePetDocument, variables: { input }, errorPolicy } as const
      const { data, error } = await client.mutate(options)
      return { data: data?.createPet, errors: apolloErrors(error) }
    },
    async updatePet(id, input, expected = {}) {
      const variables = { id, input, expected }
      const options = { mutation: UpdatePetDocument, variables, errorPolicy } as const
      const { data, error } = await client.mutate(options)
      return { data: data?.updatePet, errors: apolloErrors(error) }
    },
    subscribe(filter, listener) {
      const subscription = client
        .subscribe({ query: PetChangedDocument, variables: { filter } })
        .subscribe(({ data, error }) =>
          listener({
            data: data?.petChanged,
            errors: error ? (graphqlErrorsIn(error) ?? [error]) : [],
          }),
        )
      return () => subscription.unsubscribe()
    },
  }
}

/** Those of GraphQL, which Apollo Client has in a CombinedGraphQLErrors. */
const graphqlErrorsIn = (error: object) => ('errors' in error ? (error.errors as object[]) : null)

function apolloErrors(error: Error | undefined): readonly object[] {
  if (error === undefined) return []
  const errors = graphqlErrorsIn(error)
  if (!errors) throw new Error(error.message, { cause: error })
  return errors
}

export const createUrql: CreateClient = (options) => adaptUrql(createUrqlClient(options))

export const createPlainUrql: CreateClient = ({ onLive, ...options }) =>
  adaptUrql(createPlainUrqlClient({ ...options, fetch: fetchAndNotice('text/event-stream', onLive) }))

function adaptUrql(client: ReturnType<typeof createUrqlClient>): FrontendClient {
  const listPets = async (variables: PetsQueryVariables) => {
    const { data, error } = await client.query(PetsDocument, variables)
    return { data: data?.pets, errors: urqlErrors(error) }
  }
  return {
    async getPet(id) {
      const { data, error } = await client.query(PetDocument, { id }, { requestPolicy: 'network-only' })
      return { data: data?.pet, errors: urqlErrors(error) }
    },
    listPets,
    loadMore: (variables, after) => listPets({ ...variables, after }),
    watchPets(variables) {
      const states: Pet[][] = []
      let pageInfo: PetPage['pageInfo'] | undefined
      /** As useQuery does when its variables change. */
      const watch = (after: string | null) =>
        client
          .query(PetsDocument, after === null ? variables : { ...variables, after })
          .subscribe(({ data }) => {
            states.push(nodesOf(data))
            pageInfo = data?.pets.pageInfo
          })
      let subscription = watch(null)
      onTestFinished(() => subscription.unsubscribe())
      const more = async () => {
        const [before, after] = [states.length, pageInfo?.endCursor ?? null]
        subscription.unsubscribe()
        subscription = watch(after)
        await eventually(() => expect(states.length).toBeGreaterThan(before))
      }
      return { states, more }
    },
    readCachedPets: (variables) => nodesOf(client.readQuery(PetsDocument, variables)?.data),
    async createPet(input) {
      const { data, error } = await client.mutation(CreatePetDocument, { input })
      return { data: data?.createPet, errors: urqlErrors(error) }
    },
    async updatePet(id, input, expected = {}) {
      const { data, error } = await client.mutation(UpdatePetDocument, { id, input, expected })
      return { data: data?.updatePet, errors: urqlErrors(error) }
    },
    subscribe(filter, listener) {
      const subscription = client.subscription(PetChangedDocument, { filter }).subscribe(({ data, error }) =>
        listener({
          data: data?.petChanged,
          errors: error?.networkError ? [error.networkError] : urqlErrors(error),
        }),
      )
      return () => subscription.unsubscribe()
    },
  }
}

function urqlErrors(error: { networkError?: Error; graphQLErrors: object[] } | undefined): readonly object[] {
  if (error?.networkError && error.graphQLErrors.length === 0) throw error.networkError
  return error?.graphQLErrors ?? []
}
