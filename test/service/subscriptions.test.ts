/** Live changes, from either door of any server, to whoever has subscribed. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EventStream, subscribe } from '../support/event-stream.ts'
import { KEY, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.clear()
})
afterAll(() => service.stop())

const isEmbedded = process.env.TEST_DATABASE === 'embedded'
const QUERY =
  'subscription ($filter: PetFilter) { petChanged(filter: $filter) { kind pet { id name categoryId status } } }'

async function watch(filter: object | null = null, url: string = service.url): Promise<EventStream> {
  const stream = await subscribe(url, KEY, QUERY, { filter })
  onTestFinished(() => stream.abort())
  return stream
}
const event = (kind: string, pet: object) => ({
  data: { petChanged: { kind, pet: expect.objectContaining(pet) as unknown } },
})

async function create(name: string, status?: string, categoryId = 7): Promise<string> {
  const { json } = await service.client.send('/v1/pets', {
    method: 'POST',
    body: { name, categoryId, status },
  })
  return String((json as { id: number }).id)
}
async function update(id: string, input: object): Promise<void> {
  const query = 'mutation ($id: ID!, $input: PetChanges!) { updatePet(id: $id, input: $input) { id } }'
  expect((await service.client.graphql(query, { id, input })).errors).toBeUndefined()
}
async function remove(id: string): Promise<void> {
  expect(
    (await service.client.graphql('mutation ($id: ID!) { deletePet(id: $id) { id } }', { id })).errors,
  ).toBeUndefined()
}

describe('an event', () => {
  it('comes of every change, through either door, in order', async () => {
    const stream = await watch()
    expect(stream.response.headers['content-type']).toBe('text/event-stream')
    const id = await create('Rex', 'available')
    await update(id, { status: 'sold' })
    await update(id, { status: null, name: 'Max', categoryId: '9223372036854775807' })
    await remove(id)
    expect(await stream.next()).toEqual(
      event('created', { id, name: 'Rex', categoryId: '7', status: 'available' }),
    )
    expect(await stream.next()).toEqual(event('updated', { id, name: 'Rex', status: 'sold' }))
    const last = { id, name: 'Max', categoryId: '9223372036854775807', status: null }
    expect(await stream.next()).toEqual(event('updated', last))
    expect(await stream.next()).toEqual(event('deleted', last))
  })

  it('comes of no update that changes nothing, and of no creation that has been done before', async () => {
    const stream = await watch()
    const id = await create('Rex', 'sold')
    await update(id, { status: 'sold' })
    await update(id, {})
    const request = {
      method: 'POST',
      headers: { 'idempotency-key': 'once' },
      body: { name: 'Once', categoryId: 1 },
    }
    await service.client.send('/v1/pets', request)
    await service.client.send('/v1/pets', request)
    await create('last')
    for (const name of ['Rex', 'Once', 'last'])
      expect(await stream.next()).toEqual(event('created', { name }))
  })

  it('has the whole name, however long', async () => {
    const stream = await watch()
    const name = 'é🐕"\\\n '.repeat(4_000)
    const id = await create(name)
    expect(await stream.next()).toEqual(event('created', { id, name }))
    const other = await create(name)
    expect(await stream.next()).toEqual(event('created', { id: other, name }))
  })

  it.each([
    [
      { status: ['available', 'sold'] },
      { name: 'a', status: 'sold' },
      [{ name: 'b', status: 'pending' }, { name: 'c' }],
    ],
    [{ categoryId: ['8', '9'] }, { name: 'a', categoryId: 9 }, [{ name: 'b', categoryId: 7 }]],
    [{ namePrefix: 'ÉM_' }, { name: 'ém_ile' }, [{ name: 'émile' }]],
    [
      { status: ['sold'], categoryId: ['8'], namePrefix: 'r' },
      { name: 'Rex', status: 'sold', categoryId: 8 },
      [
        { name: 'Rex', status: 'sold' },
        { name: 'Max', status: 'sold', categoryId: 8 },
      ],
    ],
    [{ status: null, categoryId: null, namePrefix: '' }, { name: 'anything' }, []],
  ] as [object, NewPet, NewPet[]][])(
    'comes to those who have asked for it: %j',
    async (filter, pet, others) => {
      const stream = await watch(filter)
      for (const other of [...others, pet]) await create(other.name, other.status, other.categoryId)
      expect(await stream.next()).toEqual(event('created', { name: pet.name }))
    },
  )
  interface NewPet {
    name: string
    status?: string
    categoryId?: number
  }

  it('comes as well when an animal fits no longer, so that a list can drop it', async () => {
    const id = await create('Rex', 'available')
    const stream = await watch({ status: ['available'], namePrefix: 're' })
    await update(id, { status: 'sold' })
    await update(id, { status: 'pending' })
    await update(id, { status: 'available', name: 'Max' })
    await update(id, { name: 'Rey' })
    await remove(id)
    expect(await stream.next()).toEqual(event('updated', { status: 'sold' }))
    expect(await stream.next()).toEqual(event('updated', { name: 'Rey', status: 'available' }))
    expect(await stream.next()).toEqual(event('deleted', { name: 'Rey' }))
  })

  it('comes to 1,000 subscribers of one process, beside its other work', async () => {
    const streams = await Promise.all(Array.from({ length: 1_000 }, () => watch({ namePrefix: 'to all' })))
    await create('to nobody')
    const id = await create('to all')
    const events = await Promise.all(streams.map((stream) => stream.next()))
    expect(events.every((received) => JSON.stringify(received).includes(`"${id}"`))).toBe(true)
    expect((await service.client.send('/v1/pets?limit=1')).status).toBe(200)
  })
})

describe('a subscription', () => {
  it('that is not right is answered with what is wrong', async () => {
    const stream = await watch({
      namePrefix: 'x'.repeat(501),
      categoryId: Array.from({ length: 51 }, (_, id) => String(id)),
    })
    expect(await stream.next()).toMatchObject({
      errors: [
        {
          path: ['petChanged'],
          extensions: {
            code: 'INVALID_VALUE',
            problems: [{ argument: 'filter.categoryId' }, { argument: 'filter.namePrefix' }],
          },
        },
      ],
    })
    expect(await stream.next()).toBeNull()
  })

  it('is refused where only JSON is accepted, with the reason', async () => {
    const { status, json } = await service.client.send('/graphql', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: { query: QUERY },
    })
    expect(status).toBe(406)
    expect(json).toMatchObject({
      errors: [
        {
          message: expect.stringContaining('text/event-stream') as string,
          extensions: { code: 'NOT_ACCEPTABLE' },
        },
      ],
    })
  })

  it('ends when the server stops, which waits for nobody', async () => {
    const other = await startService()
    const stream = await watch(null, other.url)
    await other.stop()
    expect(await stream.next()).toBeNull()
  })

  it('hears of what another server has done, and somebody with SQL', async ({ skip }) => {
    skip(isEmbedded, 'an embedded database has one server')
    const replica = await startService({ DATABASE_URL: service.databaseUrl })
    onTestFinished(() => replica.stop())
    const stream = await watch(null, replica.url)
    await create('from the other one')
    expect(await stream.next()).toEqual(event('created', { name: 'from the other one' }))
    await service.sql`update pets set name = 'by hand' where name = 'from the other one'`
    expect(await stream.next()).toEqual(event('updated', { name: 'by hand' }))
    await service.sql.begin(async (sql) => {
      await sql`set local search_path = ''`
      await sql`insert into public.pets (name, category_id) values ('without a search path', 1)`
    })
    expect(await stream.next()).toEqual(event('created', { name: 'without a search path' }))
    await service.sql`truncate pets`
    expect(await stream.next()).toBeNull()
  })

  it('ends when changes may have been missed, and the next one is live again', async ({ skip }) => {
    skip(isEmbedded, 'the connection that hears of changes is the one that makes them')
    const { sql } = service
    // Its last statement was the first one, or a sign of life.
    const isListener = sql`query ~ '^(listen|select 1$)' and datname = current_database()`
    const stream = await watch()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where ${isListener}`
    expect(await stream.next()).toBeNull()

    const again = await watch()
    await sql`select pg_notify('pet_changes', 'not one of ours')`
    expect(await again.next()).toBeNull()

    const last = await watch()
    const id = await create('Rex')
    expect(await last.next()).toEqual(event('created', { id }))
    const listeners = await sql`select pid from pg_stat_activity where ${isListener}`
    expect(listeners.length).toBe(1)
  })
})
