/** Apollo Client and urql, set up as in examples/. */
import { connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type {
  PetFilter,
  PetOrder,
  PetsQueryVariables,
} from '../../../examples/graphql-clients/generated/graphql.ts'
import type { LiveOptions } from '../../../examples/graphql-clients/live.ts'
import { problemsByField } from '../../../examples/graphql-clients/problems.ts'
import { readEvents } from '../../../examples/graphql-clients/read-events.ts'
import { idOf } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/proxy.ts'
import { KEY, startService, useService } from '../../support/service.ts'
import {
  type CreateClient,
  createApollo,
  createPlainApollo,
  createPlainUrql,
  createUrql,
  type FrontendClient,
} from './frontend-libraries.ts'
import { listenOnLoopback } from '../../support/free-port.ts'

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

/** What new connections meet while the server is away. */
const ABSENCES: [string, (socket: Socket) => unknown][] = [
  ['a reset', (socket) => socket.resetAndDestroy()],
  ['an end', (socket) => socket.once('data', () => socket.end())],
  ...['502 Bad Gateway', '503 Service Unavailable', '404 Not Found', '429 Too Many Requests', '200 OK'].map(
    (status): [string, (socket: Socket) => unknown] => [
      `${status} and a page of a proxy`,
      answerWith(status),
    ],
  ),
]

describe.each<{ name: string; create: CreateClient }>([
  { name: 'Apollo Client', create: createApollo },
  { name: 'urql', create: createUrql },
])('queries and mutations of $name', ({ create }) => {
  const createClient = (onLive: () => void = () => undefined) => create({ url: url(), apiKey: KEY, onLive })

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
    const list = await client.listPets({ first: -1, filter: { categoryId: tooMany } })
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

  it('gets the problems of all fields of a form', async () => {
    const client = createClient()
    const { errors } = await client.createPet({ name: 'x'.repeat(1001), categoryId: 'none' })
    const problems = problemsByField(errors)
    expect([...problems.keys()].sort()).toEqual(['input.categoryId', 'input.name'])
    for (const problem of problems.values()) expect(problem).toContain(' must be ')
    const list = await client.listPets({ first: 1, filter: { categoryId: ['1', 'two', 'three'] } })
    expect([...problemsByField(list.errors)]).toEqual([
      ['filter.categoryId', expect.stringMatching(/^categoryId\[1\] /)],
    ])
  })

  it('does not update a pet that is no longer what its user saw', async () => {
    await createPets('Rex')
    const client = createClient()
    const id = (await client.listPets({ first: 1 })).data?.edges[0]?.node.id ?? ''
    const sell = () => client.updatePet(id, { status: 'sold' }, { status: 'available' })
    expect((await sell()).data).toMatchObject({ status: 'sold' })
    const { errors } = await sell()
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }])
    expect([...problemsByField(errors).keys()]).toEqual(['expected.status'])
  })

  it('gets the code of an error that occurs before GraphQL', async () => {
    const { errors } = await create({ url: url(), apiKey: 'wrong', onLive: () => undefined }).getPet(
      unknownId,
    )
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

  describe('keeps the pages that a list shows, when other clients', () => {
    const available: PetFilter = { status: ['available'] }
    const newestFirst: PetOrder = { field: 'ID', direction: 'DESC' }

    /** Creates pets, and displays pages of them, with a subscription to their events. */
    async function show(count: number, pages: number, variables: PetsQueryVariables) {
      const pets = Array.from({ length: count }, (_, index) => ({ name: `pet ${index}`, categoryId: 7 }))
      const created = await Promise.all(
        pets.map((pet) => service.client.createPet({ ...pet, status: 'available' })),
      )
      const onLive = vi.fn()
      const client = createClient(onLive)
      onTestFinished(client.subscribe(null, () => undefined))
      await eventually(() => expect(onLive).toHaveBeenCalledOnce())
      const { states, more } = client.watchPets(variables)
      await eventually(() => expect(states.at(-1)).not.toHaveLength(0))
      for (let page = 1; page < pages; page += 1) await more()
      const shown = Math.min(count, pages * variables.first)
      await eventually(() => expect(states.at(-1)).toHaveLength(shown))
      states.splice(0)
      const ids = created.map((answer) => idOf(answer))
      return { client, more, states, ids, names: () => states.at(-1)?.map(({ name }) => name) }
    }

    it('create a pet: it is shown at its place, and no pet is missing meanwhile', async () => {
      const { states, names } = await show(23, 4, { first: 5, orderBy: newestFirst })
      await createPets('new')
      await eventually(() => expect(names()?.[0]).toBe('new'))
      for (const state of states) expect(state).toHaveLength(20)
      expect(new Set(names()).size).toBe(20)
    })

    it('create a pet after the last page, which has room for it', async () => {
      const { states, names, more } = await show(9, 2, { first: 5 })
      await createPets('tenth')
      await eventually(() => expect(names()?.[9]).toBe('tenth'))
      await createPets('eleventh')
      await eventually(async () => {
        await more()
        expect(names()).toHaveLength(11)
      })
      for (const state of states) expect(state.length).toBeGreaterThanOrEqual(9)
    })

    it('sell or delete pets: they disappear, and later ones take their places', async () => {
      const { states, names, ids, more } = await show(23, 4, { first: 5, filter: available })
      const [first = '', , , , fifth = '', , seventh = ''] = ids
      await service.client.updatePet(fifth, { status: 'sold' })
      await service.client.updatePet(seventh, { name: 'renamed' })
      await service.client.deletePet(first)
      await eventually(() => {
        expect(names()).toHaveLength(20)
        expect(states.at(-1)?.map(({ id }) => id)).toEqual(
          ids.slice(0, 22).filter((id) => id !== first && id !== fifth),
        )
      })
      expect(names()).toContain('renamed')
      await more()
      await eventually(() => expect(names()).toHaveLength(21))
      expect(states.at(-1)?.map(({ status }) => status)).toEqual(Array(21).fill('available'))
    })

    it('change one of more pets than a page of the API has', async () => {
      const { states, names } = await show(230, 5, { first: 50, orderBy: newestFirst })
      await createPets('new')
      await eventually(() => expect(names()?.[0]).toBe('new'))
      await eventually(() => expect(names()).toHaveLength(231))
      for (const state of states) expect(state.length).toBeGreaterThanOrEqual(230)
    })
  })

  it('subscribes again when the server stops', async () => {
    const other = await startService()
    const front = await startFront(other.url)
    const onLive = vi.fn()
    const events: unknown[] = []
    const client = create({ url: front.url, apiKey: KEY, onLive, delayBefore: () => 10 })
    onTestFinished(client.subscribe(null, ({ data }) => events.push(data)))
    await eventually(() => expect(onLive).toHaveBeenCalledOnce())
    front.switchTo(service.url)
    await other.stop()
    await eventually(() => expect(onLive).toHaveBeenCalledTimes(2))
    await createPets('Rex')
    await eventually(() => expect(events).toMatchObject([{ kind: 'created', pet: { name: 'Rex' } }]))
  })

  it.each(ABSENCES)('comes back after a server that was away for 20 attempts: %s', async (_, away) => {
    const front = await startFront(service.url)
    const { onLive, list, attempts, events } = await watchThrough(front.url)
    front.goAway(away)
    await eventually(() => expect(attempts()).toBeGreaterThanOrEqual(20))
    await createPets('Luna')
    onLive.mockClear()
    front.switchTo(service.url)
    await eventually(() => expect(onLive).toHaveBeenCalled())
    await eventually(() => expect(list.states.at(-1)).toMatchObject([{ name: 'Luna' }]))
    await createPets('Rex')
    await eventually(() => expect(events.at(-1)).toMatchObject({ kind: 'created', pet: { name: 'Rex' } }))
  })

  it('gives up connections that have fallen silent, until there is an answer', async () => {
    const network = await startProxy(service.url)
    onTestFinished(() => network.close())
    const { events, attempts } = await watchThrough(new URL('graphql', network.url).href, {
      // Shorter than the server's pings, so that the subscription begins again and again.
      maxSilence: 2_000,
    })
    void network.silence(true)
    await eventually(() => expect(attempts()).toBeGreaterThanOrEqual(2))
    void network.silence(false)
    await eventually(async () => {
      await createPets('Rex')
      expect(events.at(-1)).toMatchObject({ kind: 'created', pet: { name: 'Rex' } })
    })
  })

  /** Displays a list and subscribes. */
  async function watchThrough(url: string, options: Partial<LiveOptions> = {}) {
    const onLive = vi.fn()
    const delayBefore = vi.fn(() => 1)
    const events: unknown[] = []
    const client = create({ url, apiKey: KEY, onLive, delayBefore, ...options })
    const list = client.watchPets({ first: 10 })
    onTestFinished(client.subscribe(null, ({ data }) => events.push(data)))
    await eventually(() => expect(onLive).toHaveBeenCalled())
    return { onLive, list, events, attempts: () => delayBefore.mock.calls.length }
  }

  it.each([
    ['the key is not valid', { apiKey: 'wrong' }, null],
    ['the filter is not valid', {}, { categoryId: tooMany }],
  ])('does not subscribe again if %s', async (_, options, filter) => {
    const delayBefore = vi.fn(() => 1)
    const client = create({ url: url(), apiKey: KEY, onLive: vi.fn(), delayBefore, ...options })
    const onRejection = vi.fn()
    onTestFinished(client.subscribe(filter, onRejection))
    await eventually(() => expect(onRejection).toHaveBeenCalled())
    // The end of the subscription arrives before the answer to a later request.
    await service.client.send('/v1/pets')
    expect(delayBefore).not.toHaveBeenCalled()
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
    const client = create({ url: url(), apiKey: KEY, onLive })
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

  it('gets the reason for which its subscription was rejected', async () => {
    const client = create({ url: url(), apiKey: KEY, onLive: () => undefined })
    const rejections: unknown[] = []
    onTestFinished(client.subscribe({ categoryId: tooMany }, ({ errors }) => rejections.push(errors)))
    const error = { extensions: { code: 'INVALID_VALUE', argument: 'filter.categoryId' } }
    await eventually(() => expect(rejections[0]).toMatchObject([error]))
  })
})

it('readEvents, by plain fetch, receives events', async () => {
  const events = readEvents(url(), KEY, 'subscription { petChanged { kind pet { name } } }')
  const first = events.next()
  // Until one is received, since the subscription begins at some time.
  let received: unknown
  void first.then(({ value }) => (received = value))
  await eventually(async () => {
    await createPets('Rex')
    expect(received).toEqual({ data: { petChanged: { kind: 'created', pet: { name: 'Rex' } } } })
  })
  await events.return(undefined)
  await expect(readEvents(url(), 'wrong', '').next()).rejects.toThrow('The server answered 401.')
})

async function loadAllPages(client: FrontendClient, orderBy: PetOrder): Promise<void> {
  const variables = { first: 2, orderBy }
  let { data } = await client.listPets(variables)
  while (data?.pageInfo.hasNextPage) ({ data } = await client.loadMore(variables, data.pageInfo.endCursor))
}

function answerWith(status: string): (socket: Socket) => unknown {
  const page = '<html>The pet store is being repaired.</html>'
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/html',
    `Content-Length: ${page.length}`,
    'Connection: close',
  ]
  return (socket) => socket.once('data', () => socket.end([...head, '', page].join('\r\n')))
}

/** An address that stays the same while servers come and go, like a load balancer's. */
async function startFront(first: string) {
  const forwardTo = (address: string) => (socket: Socket) => {
    const { port, hostname } = new URL(address)
    // When one side closes, close the other too.
    void pipeline(socket, connect(Number(port), hostname), socket).catch(() => undefined)
  }
  const sockets = new Set<Socket>()
  let answer: (socket: Socket) => unknown = forwardTo(first)
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    answer(socket)
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    switchTo: (address: string) => (answer = forwardTo(address)),
    /** Ends all connections. @param away what happens to new ones */
    goAway(away: (socket: Socket) => unknown) {
      answer = away
      for (const socket of sockets) socket.destroy()
    },
  }
}
