/** Apollo Client and urql, set up as in examples/. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PetFilter, PetOrder } from '../../../examples/graphql-clients/generated/graphql.ts'
import { eventually } from '../../support/eventually.ts'
import { KEY, startService, useService } from '../../support/service.ts'
import {
  type CreateClient,
  createApollo,
  createPlainApollo,
  createPlainUrql,
  createUrql,
  type FrontendClient,
} from './frontend-libraries.ts'

const service = useService()
beforeEach(() => service.clear())

const url = () => `${service.url}/graphql`
const MAX_INT64 = '9223372036854775807'
const unknownId = '999999999'
const tooMany = Array.from({ length: 51 }, (_, index) => String(index))
const available: PetFilter = { status: ['available'] }

async function createPets(...names: string[]): Promise<void> {
  for (const name of names) await service.client.createPet({ name, categoryId: 7, status: 'available' })
}

describe.each<{ name: string; create: CreateClient }>([
  { name: 'Apollo Client', create: createApollo },
  { name: 'urql', create: createUrql },
])('queries and mutations of $name', ({ create }) => {
  const createClient = (onLive: () => void = () => undefined) => create(url(), KEY, onLive)

  it('creates a pet and reads it, with all digits of its int64', async () => {
    const client = createClient()
    const input = { name: 'Rex', categoryId: MAX_INT64, status: 'pending' } as const
    const { data: created } = await client.createPet(input)
    expect(created).toMatchObject(input)
    expect((await client.getPet(created?.id ?? '')).data).toEqual(created)
  })

  it('loads all pages in two orders, and keeps the two lists apart', async () => {
    await createPets('a', 'e', 'b', 'd', 'c')
    const client = createClient()
    const byId: PetOrder = { field: 'ID', direction: 'ASC' }
    const byName: PetOrder = { field: 'NAME', direction: 'DESC' }
    for (const orderBy of [byId, byName]) await loadAllPages(client, orderBy)
    const namesBy = (orderBy: PetOrder) =>
      client.readCachedPets({ first: 2, orderBy }).map(({ name }) => name)
    expect(namesBy(byId)).toEqual(['a', 'e', 'b', 'd', 'c'])
    expect(namesBy(byName)).toEqual(['e', 'd', 'c', 'b', 'a'])
  })

  it('gets errors with code, argument and problems', async () => {
    const client = createClient()
    const list = await client.listPets({ first: 101, filter: { categoryId: tooMany } })
    expect(list.errors).toMatchObject([
      {
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
      },
    ])
    const update = await client.updatePet(unknownId, { status: 'sold' })
    expect(update.errors).toMatchObject([{ extensions: { code: 'PET_NOT_FOUND', argument: 'id' } }])
  })

  it('gets the code of an error that occurs before GraphQL', async () => {
    const { errors } = await create(url(), 'wrong', () => undefined).getPet(unknownId)
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHORIZED' } }])
  })

  it('updates its cache from events', async () => {
    await createPets('Rex')
    const onLive = vi.fn()
    const client = createClient(onLive)
    const variables = { first: 10 }
    const id = (await client.listPets(variables)).data?.edges[0]?.node.id ?? ''
    onTestFinished(client.subscribe(available, () => undefined))
    await eventually(() => expect(onLive).toHaveBeenCalledOnce())
    await service.client.updatePet(id, { categoryId: MAX_INT64, status: 'sold' })
    const updated = { name: 'Rex', categoryId: MAX_INT64, status: 'sold' }
    await eventually(() => expect(client.readCachedPets(variables)).toMatchObject([updated]))
  })

  it('resubscribes when the server goes away, and is told when to refetch', async () => {
    const other = await startService()
    const front = await startFront(other.url)
    const onLive = vi.fn()
    const events: unknown[] = []
    const unsubscribe = create(front.url, KEY, onLive).subscribe(null, ({ data }) => events.push(data))
    onTestFinished(unsubscribe)
    await eventually(() => expect(onLive).toHaveBeenCalledOnce())
    front.switchTo(service.url)
    await other.stop()
    await eventually(() => expect(onLive).toHaveBeenCalledTimes(2))
    await createPets('Rex')
    await eventually(() => expect(events).toMatchObject([{ kind: 'created', pet: { name: 'Rex' } }]))
  })
})

describe.each<{ name: string; create: CreateClient }>([
  { name: 'Apollo Client over graphql-sse', create: createApollo },
  { name: 'Apollo Client over its HttpLink alone', create: createPlainApollo },
  { name: 'urql over graphql-sse', create: createUrql },
  { name: 'urql over its own event streams', create: createPlainUrql },
])('events for $name', ({ create }) => {
  it('receives events for pets that match its filter or did before the event', async () => {
    await createPets('Rex')
    const onLive = vi.fn()
    const client = create(url(), KEY, onLive)
    const id = (await client.listPets({ first: 1 })).data?.edges[0]?.node.id ?? ''
    const events: unknown[] = []
    onTestFinished(client.subscribe(available, ({ data }) => events.push(data)))
    await eventually(() => expect(onLive).toHaveBeenCalledOnce())

    await service.client.updatePet(id, { categoryId: MAX_INT64 })
    await service.client.updatePet(id, { status: 'sold' })
    await service.client.updatePet(id, { name: 'Max' })
    await createPets('Luna')
    const last = { kind: 'created', pet: { name: 'Luna', categoryId: '7' } }
    await eventually(() => expect(events.at(-1)).toMatchObject(last))
    // The creation of the first pet may be announced after the subscription began.
    expect(events.slice(-3)).toMatchObject([
      { kind: 'updated', pet: { id, name: 'Rex', categoryId: MAX_INT64, status: 'available' } },
      { kind: 'updated', pet: { id, name: 'Rex', status: 'sold' } },
      last,
    ])
  })

  it('is told why its subscription was rejected', async () => {
    const client = create(url(), KEY, () => undefined)
    const rejections: unknown[] = []
    onTestFinished(client.subscribe({ categoryId: tooMany }, ({ errors }) => rejections.push(errors)))
    const error = { extensions: { code: 'INVALID_VALUE', argument: 'filter.categoryId' } }
    await eventually(() => expect(rejections[0]).toMatchObject([error]))
  })
})

async function loadAllPages(client: FrontendClient, orderBy: PetOrder): Promise<void> {
  const variables = { first: 2, orderBy }
  let { data } = await client.listPets(variables)
  while (data?.pageInfo.hasNextPage) ({ data } = await client.loadMore(variables, data.pageInfo.endCursor))
}

/** An address that stays the same while servers come and go, like a load balancer's. */
async function startFront(first: string) {
  let target = new URL(first)
  const server = createServer((socket) => {
    // When one side closes, close the other too.
    void pipeline(socket, connect(Number(target.port), target.hostname), socket).catch(() => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    switchTo: (url: string) => (target = new URL(url)),
  }
}
