/** The clients that frontend teams use, set up as the README recommends it: test/frontend has what it shows. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { CombinedGraphQLErrors } from '@apollo/client/errors'
import { cacheExchange, Client, fetchExchange } from '@urql/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApolloClient } from '../frontend/apollo.ts'
import {
  CreatePetDocument,
  PetChangedDocument,
  PetDocument,
  type PetFilter,
  type PetOrder,
  PetsDocument,
  UpdatePetDocument,
} from '../frontend/generated/graphql.ts'
import { createUrqlClient } from '../frontend/urql.ts'
import { KEY, startService, type TestService } from '../support/service.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startService()
  url = `${service.url}/graphql`
})
afterAll(() => service.stop())
beforeEach(() => service.clear())

const MAX_INT64 = '9223372036854775807'
const nobody = '999999999'
/** Asks for two things that are refused, both of which the answer names. */
const refused = { first: 0, filter: { categoryId: Array.from({ length: 51 }, (_, index) => String(index)) } }
const refusal = {
  message: expect.any(String),
  path: ['pets'],
  extensions: {
    code: 'INVALID_VALUE',
    argument: 'first',
    problems: [
      { argument: 'first', message: expect.any(String) },
      { argument: 'filter.categoryId', message: expect.any(String) },
    ],
  },
}

async function createPets(...names: string[]): Promise<void> {
  for (const name of names) {
    await service.client.send('/v1/pets', {
      method: 'POST',
      body: { name, categoryId: 7, status: 'available' },
    })
  }
}

const byId: PetOrder = { field: 'ID', direction: 'ASC' }
const byName: PetOrder = { field: 'NAME', direction: 'DESC' }
const nameOf = ({ node }: { node: { name: string } }) => node.name

const available: PetFilter = { status: ['available'] }

/** What somebody else does to an available animal and others, */
async function changePets(id: string): Promise<void> {
  const query = 'mutation ($id: ID!, $input: PetChanges!) { updatePet(id: $id, input: $input) { id } }'
  await service.client.graphql(query, { id, input: { categoryId: MAX_INT64 } })
  await service.client.graphql(query, { id, input: { status: 'sold' } })
  await service.client.graphql(query, { id, input: { name: 'of no interest, being sold' } })
  await createPets('Luna')
}
/** and what who asked for available ones hears of it: what leaves the filter, and not what stays outside. */
const changesOf = (id: string) => [
  { kind: 'updated', pet: { id, name: 'Rex', categoryId: MAX_INT64, status: 'available' } },
  { kind: 'updated', pet: { id, name: 'Rex', status: 'sold' } },
  { kind: 'created', pet: { name: 'Luna', categoryId: '7' } },
]

/** An address that stays while servers come and go, as a load balancer's does. */
async function startFront(first: string) {
  let target = new URL(first)
  const server = createServer((socket) => {
    // Whichever side goes, the other one is told.
    void pipeline(socket, connect(Number(target.port), target.hostname), socket).catch(() => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    switchTo: (url: string) => (target = new URL(url)),
    stop: () => server.close(),
  }
}

/** Waits for what others have to do first. */
const eventually = (assertion: () => void) => vi.waitFor(assertion, { timeout: 15_000 })

describe('Apollo Client', () => {
  const newClient = (onLive: () => void = () => undefined) => createApolloClient(url, KEY, onLive)

  it('creates an animal, and reads it with its int64 as it was', async () => {
    const client = newClient()
    const input = { name: 'Rex', categoryId: MAX_INT64, status: 'pending' } as const
    const { data } = await client.mutate({ mutation: CreatePetDocument, variables: { input } })
    expect(data?.createPet).toMatchObject(input)

    const id = data?.createPet.id ?? ''
    const read = await client.query({ query: PetDocument, variables: { id }, fetchPolicy: 'network-only' })
    expect(read.data?.pet).toEqual(data?.createPet)
  })

  it('walks the pages of two orders with relayStylePagination, and keeps them apart', async () => {
    await createPets('a', 'e', 'b', 'd', 'c')
    const client = newClient()
    const walk = async (orderBy: PetOrder) => {
      const variables = { first: 2, orderBy }
      let page = await client.query({ query: PetsDocument, variables })
      const list = client.watchQuery({ query: PetsDocument, variables })
      while (page.data?.pets.pageInfo.hasNextPage)
        page = await list.fetchMore({ variables: { after: page.data.pets.pageInfo.endCursor } })
      return () => client.readQuery({ query: PetsDocument, variables })?.pets.edges.map(nameOf)
    }
    const [read, readByName] = [await walk(byId), await walk(byName)]
    expect([read(), readByName()]).toEqual([
      ['a', 'e', 'b', 'd', 'c'],
      ['e', 'd', 'c', 'b', 'a'],
    ])
  })

  it('has errors as data, with code, argument and problems', async () => {
    const client = newClient()
    const list = await client.query({ query: PetsDocument, variables: refused, errorPolicy: 'all' })
    expect(CombinedGraphQLErrors.is(list.error) && list.error.errors).toMatchObject([refusal])

    const update = await client.mutate({
      mutation: UpdatePetDocument,
      variables: { id: nobody, input: { status: 'sold' } },
      errorPolicy: 'all',
    })
    expect(CombinedGraphQLErrors.is(update.error) && update.error.errors).toMatchObject([
      { extensions: { code: 'PET_NOT_FOUND', argument: 'id' } },
    ])
  })

  it('has the code of a refusal that comes before GraphQL', async () => {
    const { error } = await createApolloClient(url, 'wrong', () => undefined).query({
      query: PetDocument,
      variables: { id: nobody },
      errorPolicy: 'all',
    })
    expect(CombinedGraphQLErrors.is(error) && error.errors).toMatchObject([
      { extensions: { code: 'UNAUTHORIZED' } },
    ])
  })

  it('hears of changes over graphql-sse, and has them in its cache', async () => {
    await createPets('Rex')
    const onLive = vi.fn()
    const client = newClient(onLive)
    const variables = { first: 10 }
    const { data } = await client.query({ query: PetsDocument, variables })
    const id = data?.pets.edges[0]?.node.id ?? ''

    const heard: unknown[] = []
    const subscription = client
      .subscribe({ query: PetChangedDocument, variables: { filter: available } })
      .subscribe((result) => heard.push(result.data?.petChanged))
    await eventually(() => expect(onLive).toHaveBeenCalledOnce())
    await changePets(id)
    await eventually(() => expect(heard).toHaveLength(3))
    subscription.unsubscribe()
    expect(heard).toMatchObject(changesOf(id))
    const cached = client.readQuery({ query: PetsDocument, variables })
    expect(cached?.pets.edges).toMatchObject([
      { node: { name: 'Rex', categoryId: MAX_INT64, status: 'sold' } },
    ])
  })

  it('is told why a subscription is refused', async () => {
    const errors: unknown[] = []
    const ended = vi.fn()
    newClient()
      .subscribe({ query: PetChangedDocument, variables: { filter: refused.filter } })
      .subscribe({
        next: ({ error }) => errors.push(CombinedGraphQLErrors.is(error) && error.errors),
        complete: ended,
      })
    await eventually(() => expect(ended).toHaveBeenCalledOnce())
    expect(errors).toMatchObject([[{ extensions: { code: 'INVALID_VALUE', argument: 'filter.categoryId' } }]])
  })

  it('subscribes again when the server goes, and says when to read again', async () => {
    const other = await startService()
    const front = await startFront(other.url)
    const onLive = vi.fn()
    const client = createApolloClient(front.url, KEY, onLive)
    const heard: unknown[] = []
    const subscription = client
      .subscribe({ query: PetChangedDocument })
      .subscribe(({ data }) => heard.push(data?.petChanged))
    await eventually(() => expect(onLive).toHaveBeenCalledOnce())
    front.switchTo(service.url)
    await other.stop()
    await eventually(() => expect(onLive).toHaveBeenCalledTimes(2))
    await createPets('Rex')
    await eventually(() => expect(heard).toMatchObject([{ kind: 'created', pet: { name: 'Rex' } }]))
    subscription.unsubscribe()
    front.stop()
  }, 60_000)
})

describe('urql', () => {
  const newClient = (onLive: () => void = () => undefined) => createUrqlClient(url, KEY, onLive)
  /** As little as it takes: urql reads event streams by itself, but subscribes only once. */
  const newStreamClient = (onLive: () => void = () => undefined) =>
    new Client({
      url,
      preferGetMethod: false,
      fetchOptions: { headers: { authorization: `Bearer ${KEY}` } },
      fetchSubscriptions: true,
      exchanges: [cacheExchange, fetchExchange],
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (response.headers.get('content-type')?.startsWith('text/event-stream')) onLive()
        return response
      },
    })

  it('creates an animal, and reads it with its int64 as it was', async () => {
    const client = newClient()
    const input = { name: 'Rex', categoryId: MAX_INT64, status: 'pending' } as const
    const { data } = await client.mutation(CreatePetDocument, { input })
    expect(data?.createPet).toMatchObject(input)

    const id = data?.createPet.id ?? ''
    const read = await client.query(PetDocument, { id }, { requestPolicy: 'network-only' })
    expect(read.data?.pet).toEqual(data?.createPet)
  })

  it('walks the pages of two orders with relayPagination, and keeps them apart', async () => {
    await createPets('a', 'e', 'b', 'd', 'c')
    const client = newClient()
    const walk = async (orderBy: PetOrder) => {
      const variables = { first: 2, orderBy }
      let list = await client.query(PetsDocument, variables)
      while (list.data?.pets.pageInfo.hasNextPage)
        list = await client.query(PetsDocument, { ...variables, after: list.data.pets.pageInfo.endCursor })
      return () => client.readQuery(PetsDocument, variables)?.data?.pets.edges.map(nameOf)
    }
    const [read, readByName] = [await walk(byId), await walk(byName)]
    expect([read(), readByName()]).toEqual([
      ['a', 'e', 'b', 'd', 'c'],
      ['e', 'd', 'c', 'b', 'a'],
    ])
  })

  it('has errors as data, with code, argument and problems', async () => {
    const client = newClient()
    const list = await client.query(PetsDocument, refused)
    expect(list.error?.response).toMatchObject({ status: 200 })
    expect(list.error?.graphQLErrors).toMatchObject([refusal])

    const update = await client.mutation(UpdatePetDocument, { id: nobody, input: { status: 'sold' } })
    expect(update.error?.graphQLErrors).toMatchObject([
      { extensions: { code: 'PET_NOT_FOUND', argument: 'id' } },
    ])
  })

  it('has the code of a refusal that comes before GraphQL', async () => {
    const client = createUrqlClient(url, 'wrong', () => undefined)
    const { error } = await client.query(PetDocument, { id: nobody })
    expect(error?.response).toMatchObject({ status: 401 })
    expect(error?.graphQLErrors).toMatchObject([{ extensions: { code: 'UNAUTHORIZED' } }])
  })

  it('hears of changes over graphql-sse, and has them in its cache', async () => {
    await createPets('Rex')
    const onLive = vi.fn()
    const client = newClient(onLive)
    const variables = { first: 10 }
    const { data } = await client.query(PetsDocument, variables)
    const id = data?.pets.edges[0]?.node.id ?? ''

    const heard: unknown[] = []
    const subscription = client
      .subscription(PetChangedDocument, { filter: available })
      .subscribe((result) => heard.push(result.data?.petChanged))
    await eventually(() => expect(onLive).toHaveBeenCalledOnce())
    await changePets(id)
    await eventually(() => expect(heard).toHaveLength(3))
    subscription.unsubscribe()
    expect(heard).toMatchObject(changesOf(id))
    const cached = client.readQuery(PetsDocument, variables)?.data
    expect(cached?.pets.edges).toMatchObject([
      { node: { name: 'Rex', categoryId: MAX_INT64, status: 'sold' } },
    ])
  })

  it('hears of changes over its own event stream', async () => {
    await createPets('Rex')
    const onLive = vi.fn()
    const client = newStreamClient(onLive)
    const { data } = await client.query(PetsDocument, { first: 1 })
    const id = data?.pets.edges[0]?.node.id ?? ''

    const heard: unknown[] = []
    const subscription = client
      .subscription(PetChangedDocument, { filter: available })
      .subscribe((result) => heard.push(result.data?.petChanged))
    await eventually(() => expect(onLive).toHaveBeenCalledOnce())
    await changePets(id)
    await eventually(() => expect(heard).toHaveLength(3))
    subscription.unsubscribe()
    expect(heard).toMatchObject(changesOf(id))
  })

  it.each([
    ['graphql-sse', () => newClient()],
    ['its own event stream', () => newStreamClient()],
  ])('is told over %s why a subscription is refused', async (_, client) => {
    const { error } = await client().subscription(PetChangedDocument, { filter: refused.filter }).toPromise()
    expect(error?.graphQLErrors).toMatchObject([
      { extensions: { code: 'INVALID_VALUE', argument: 'filter.categoryId' } },
    ])
  })
})
