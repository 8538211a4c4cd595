/** Subscription.petChanged: events from every server reach each subscriber; test/service/conformance.test.ts has fields and filters. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { idOf } from '../../../support/client.ts'
import { type EventStream, STREAM_TYPES, subscribe } from '../../../support/event-stream.ts'
import { KEY, startService, useService } from '../../../support/service.ts'

const service = useService()
const isEmbedded = process.env.TEST_DATABASE === 'embedded'
const isCitus = process.env.TEST_DATABASE === 'citus'
const QUERY =
  'subscription ($filter: PetFilter) { petChanged(filter: $filter) { kind pet { id name categoryId status } } }'

async function watch(
  filter: object | null = null,
  { url = service.url, accept = 'text/event-stream' } = {},
): Promise<EventStream> {
  const stream = await subscribe(url, KEY, QUERY, { filter }, accept)
  onTestFinished(() => stream.abort())
  return stream
}
const event = (kind: string, pet: object) => ({
  data: { petChanged: { kind, pet: expect.objectContaining(pet) as unknown } },
})

const petIdOf = (received: unknown) =>
  (received as { data: { petChanged: { pet: { id: string } } } }).data.petChanged.pet.id

interface NewPet {
  name: string
  status?: string
  categoryId?: number
}
const create = async (pet: NewPet) => idOf(await service.client.createPet({ categoryId: 7, ...pet }))

describe('an event', () => {
  it('is sent for every creation, update and deletion over either API, in order', async () => {
    const streams = await Promise.all(STREAM_TYPES.map((accept) => watch(null, { accept })))
    const id = await create({ name: 'Rex', status: 'available' })
    await service.client.updatePet(id, { status: 'sold' })
    await service.client.updatePet(id, { status: null, name: 'Max', categoryId: '9223372036854775807' })
    await service.client.deletePet(id)
    const last = { id, name: 'Max', categoryId: '9223372036854775807', status: null }
    for (const stream of streams) {
      expect(await stream.next()).toEqual(
        event('created', { id, name: 'Rex', categoryId: '7', status: 'available' }),
      )
      expect(await stream.next()).toEqual(event('updated', { id, name: 'Rex', status: 'sold' }))
      expect(await stream.next()).toEqual(event('updated', last))
      expect(await stream.next()).toEqual(event('deleted', last))
    }
  })

  it('is not sent for a repeated creation with the same idempotency key', async () => {
    const stream = await watch()
    const request = { headers: { 'idempotency-key': 'once' } }
    for (let time = 0; time < 2; time += 1)
      await service.client.createPet({ name: 'Once', categoryId: 1 }, request)
    await create({ name: 'last' })
    for (const name of ['Once', 'last']) expect(await stream.next()).toEqual(event('created', { name }))
  })

  it.each(STREAM_TYPES)('has the whole name, even a long one: %s', async (accept) => {
    const stream = await watch(null, { accept })
    const name = 'é🐕"\\\n '.repeat(150)
    const id = await create({ name })
    expect(await stream.next()).toEqual(event('created', { id, name }))
  })

  it('is sent for each of several pets that are equal and created at once', async () => {
    const stream = await watch()
    const ids = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Rex' })))
    const events = await Promise.all(ids.map(() => stream.next()))
    expect(events).toEqual(ids.map(() => event('created', { name: 'Rex' })))
    expect(events.map(petIdOf).sort()).toEqual(ids.sort())
  })

  it.each([
    ['of a creation', '\u0001'.repeat(1_000), 'x'],
    ['of an update', '犬'.repeat(1_000), '犬'.repeat(999)],
  ])('that is too long for a notification ends the stream instead: %s', async (_, first, second) => {
    const stream = await watch()
    const id = await create({ name: first })
    if (second !== 'x') {
      expect(await stream.next()).toEqual(event('created', { name: first }))
      await service.client.updatePet(id, { name: second })
    }
    expect(await stream.next()).toBeNull()
  })
})

describe('a subscription', () => {
  it.each(STREAM_TYPES)(
    'with an invalid filter gets an error that names each invalid field: %s',
    async (accept) => {
      const filter = {
        namePrefix: 'x'.repeat(501),
        categoryId: Array.from({ length: 51 }, (_, id) => String(id)),
      }
      const stream = await watch(filter, { accept })
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
    },
  )

  it.each([
    ['*/*', 'text/event-stream'],
    ['application/json, text/event-stream;charset=utf8', 'text/event-stream'],
    ['multipart/mixed;subscriptionSpec=1.0;q=0, text/event-stream', 'text/event-stream'],
    [
      'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json',
      'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
    ],
  ])('with Accept: %s is answered as %s', async (accept, type) => {
    const { response } = await watch(null, { accept })
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, type])
  })

  it.each(['application/json', 'multipart/mixed, application/json'])(
    'is answered with 406 if neither kind of stream is accepted: %s',
    async (accept) => {
      const request = { headers: { accept } }
      const { status, json } = await service.client.post('/graphql', { query: QUERY }, request)
      const ways = expect.stringMatching(
        /text\/event-stream.*multipart\/mixed;subscriptionSpec=1\.0/,
      ) as string
      const errors = [{ message: ways, extensions: { code: 'NOT_ACCEPTABLE' } }]
      expect([status, json]).toMatchObject([406, { errors }])
    },
  )

  const withLength = (length: number) => {
    const query = 'subscription { petChanged { pet { name } } } #'
    return { query: query.padEnd(length - JSON.stringify({ query: '' }).length, 'x') }
  }
  const withTokens = (count: number) => ({
    query: `subscription { petChanged { kind pet { ${'name '.repeat(count - 10)} } } }`,
  })

  it.each([
    ['8,192 characters', withLength(8_192), withLength(8_193)],
    ['500 tokens', withTokens(500), withTokens(501)],
  ])('has at most %s', async (_, longest, tooLong) => {
    const stream = await subscribe(service.url, KEY, longest)
    onTestFinished(() => stream.abort())
    await create({ name: 'Rex' })
    expect(await stream.next()).toMatchObject({ data: { petChanged: { pet: { name: 'Rex' } } } })
    const rejected = await subscribe(service.url, KEY, tooLong)
    expect(await rejected.next()).toMatchObject({
      errors: [{ extensions: { code: 'INVALID_REQUEST' } }],
    })
    expect(await rejected.next()).toBeNull()
  })

  it('ends when the server stops, and does not delay the shutdown', async () => {
    const other = await startService()
    const streams = await Promise.all(STREAM_TYPES.map((accept) => watch(null, { url: other.url, accept })))
    await other.stop()
    for (const stream of streams) expect(await stream.next()).toBeNull()
  })

  it('gets events from another server', async ({ skip }) => {
    skip(isEmbedded, 'only one server can use an embedded database')
    const replica = await startService({ DATABASE_URL: service.databaseUrl })
    onTestFinished(() => replica.stop())
    const stream = await watch(null, { url: replica.url })
    const id = await create({ name: 'from another server' })
    expect(await stream.next()).toEqual(event('created', { name: 'from another server' }))
    await service.client.deletePet(id)
    expect(await stream.next()).toEqual(event('deleted', { id }))
  })

  it('gets events from SQL statements', async ({ skip }) => {
    skip(isEmbedded, 'the embedded database delivers events only to the connection that writes')
    skip(isCitus, 'a distributed table has no triggers')
    const stream = await watch()
    await create({ name: 'from a server' })
    expect(await stream.next()).toEqual(event('created', { name: 'from a server' }))
    await service.sql`update pets set name = 'by SQL' where name = 'from a server'`
    expect(await stream.next()).toEqual(event('updated', { name: 'by SQL' }))
    await service.sql.begin(async (sql) => {
      await sql`set local search_path = ''`
      await sql`insert into public.pets (name, category_id) values ('without a search path', 1)`
    })
    expect(await stream.next()).toEqual(event('created', { name: 'without a search path' }))
    const names = ['one of three', 'two of three', 'three of three']
    await service.sql`insert into pets (name, category_id) select name, 1 from unnest(${names}::text[]) as name`
    for (const name of names) expect(await stream.next()).toEqual(event('created', { name }))
    await service.sql`delete from pets where name = 'three of three'`
    expect(await stream.next()).toEqual(event('deleted', { name: 'three of three' }))
    // Of equal notifications in a transaction, Postgres would send one.
    const changes = ['pending', 'sold', 'pending', 'sold']
    await service.sql.begin(async (sql) => {
      for (const status of changes) await sql`update pets set status = ${status} where name = 'one of three'`
    })
    for (const status of changes) expect(await stream.next()).toEqual(event('updated', { status }))
    await service.sql`truncate pets`
    expect(await stream.next()).toBeNull()
  })

  it('gets only events of pets in its own Postgres schema', async ({ skip }) => {
    skip(isEmbedded || isCitus, 'there is one schema')
    const { sql } = service
    const [green, blue] = ['Green "2"', 'b'.repeat(63)]
    const start = async (schema: string) => {
      await sql`create schema ${sql(schema)}`
      const quoted = `"${schema.replaceAll('"', '""')}"`
      const options = encodeURIComponent(`-c search_path=${quoted.replaceAll(' ', '\\ ')}`)
      const running = await startService({ DATABASE_URL: `${service.databaseUrl}?options=${options}` })
      onTestFinished(() => running.stop())
      return running
    }
    const services = [await start(green), await start(blue), service]
    const streams = await Promise.all(services.map(({ url }) => watch(null, { url })))
    for (const [index, { client }] of services.entries())
      await client.createPet({ name: `in schema ${index}`, categoryId: 1 })
    await sql`truncate ${sql(green)}.pets`
    for (const { client } of services.slice(1)) await client.createPet({ name: 'the last', categoryId: 1 })
    for (const [index, stream] of streams.entries()) {
      expect(await stream.next()).toEqual(event('created', { name: `in schema ${index}` }))
      expect(await stream.next()).toEqual(index === 0 ? null : event('created', { name: 'the last' }))
    }
  })

  it('ends when events may have been missed, and a new one receives events again', async ({ skip }) => {
    skip(isEmbedded, 'the embedded database listens on the connection that also writes')
    const { sql } = service
    // Its last statement is LISTEN or a heartbeat.
    const isListener = sql`query ~ '^(do .*listen|select$)' and datname = current_database()`
    const stream = await watch()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where ${isListener}`
    expect(await stream.next()).toBeNull()

    const again = await watch()
    await sql`select pg_notify('pet_store_' || 'pets'::regclass::oid, 'not one of ours')`
    expect(await again.next()).toBeNull()

    const last = await watch()
    const id = await create({ name: 'Rex' })
    expect(await last.next()).toEqual(event('created', { id }))
    const listeners = await sql`select pid from pg_stat_activity where ${isListener}`
    expect(listeners.length).toBe(1)
  })
})
