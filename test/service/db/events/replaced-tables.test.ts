/** Tables that are made again under a running server: events go on, or subscriptions end. */
import type { Sql } from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EventStream, subscribe } from '../../../support/event-stream.ts'
import { eventually } from '../../../support/eventually.ts'
import { errorsIn, KEY, startService, useService } from '../../../support/service.ts'

const isPostgres = process.env.TEST_DATABASE === 'postgres'
const service = useService({})

async function watch(): Promise<EventStream> {
  const stream = await subscribe(service.url, KEY, 'subscription { petChanged { pet { name } } }')
  onTestFinished(() => stream.abort())
  return stream
}
const eventOf = (name: string) => ({ data: { petChanged: { pet: { name } } } })
const insert = (name: string) => service.sql`insert into public.pets (name, category_id) values (${name}, 1)`

/** As a tool does that rebuilds a table: a copy with its triggers takes its name. */
async function swapTables(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`create table rebuilt (like pets including all)`
    await tx`
      create trigger pets_created after insert on rebuilt referencing new table as created
      for each statement execute function send_events()`
    await tx`create trigger pets_changed after update or delete on rebuilt for each row execute function send_events()`
    await tx`create trigger pets_truncated after truncate on rebuilt for each statement execute function send_events()`
    await tx`alter table pets rename to replaced`
    await tx`alter table rebuilt rename to pets`
  })
}

/** Tables that were made and filled in another schema. */
async function swapSchemas(sql: Sql): Promise<void> {
  await sql`create schema next`
  const url = new URL(service.databaseUrl)
  url.search = `?options=${encodeURIComponent('-c search_path=next')}`
  await (await startService({ DATABASE_URL: url.href })).stop()
  await sql.begin(async (tx) => {
    await tx`alter schema public rename to previous`
    await tx`alter schema next rename to public`
  })
}

describe.skipIf(!isPostgres)('a subscription ends, and a new one gets events again,', () => {
  it.each([
    ['after a table took the name of another one', swapTables],
    ['after a schema took the name of another one', swapSchemas],
  ])('%s', async (_, replace) => {
    const before = await watch()
    await insert('before')
    expect(await before.next()).toEqual(eventOf('before'))
    await replace(service.sql)
    await insert('missed')
    expect(await before.next()).toBeNull()
    const after = await watch()
    await insert('after')
    expect(await after.next()).toEqual(eventOf('after'))
  })
})

/** As `pg_restore --clean` does, with new oids. */
async function remakeTypes(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`alter type pet_status rename to former_status`
    await tx`create type pet_status as enum ('available', 'pending', 'sold')`
    await tx`alter table pets alter column status type pet_status using status::text::pet_status`
    await tx`drop type former_status`
  })
}

it.skipIf(!isPostgres)(
  'when types were made again, what is prepared fails with 503, never with 500, and succeeds soon',
  async () => {
    const { client, sql, log } = service
    const change = (input: string, expected = '') => {
      const query = `mutation { updatePet(id: "1", input: {status: ${input}} ${expected}) { id status } }`
      return client.post('/graphql', { query })
    }
    const pet = { name: 'Rex', categoryId: 1, status: 'sold' }
    /** On all connections. */
    const askAll = async () => {
      const answers = Array.from({ length: 20 }, (_, index) => [
        client.send(`/v1/pets?status=sold&limit=${index + 1}`),
        client.send(`/v1/pets?limit=${index + 1}`),
        client.send('/v1/pets/1'),
        client.createPet(pet),
        client.createPet(pet, { headers: { 'idempotency-key': crypto.randomUUID() } }),
        change('pending'),
        change('available', ', expected: {name: "none"}'),
      ])
      return Promise.all(answers.flat())
    }
    await askAll()
    await askAll()
    log.length = 0
    await remakeTypes(sql)
    await askAll()
    expect(errorsIn(log)).toEqual([])
    const causes = log.filter(({ cause }) => cause !== undefined).map(({ cause }) => cause)
    expect(causes).toEqual(causes.map(() => expect.stringMatching(/^XX000: /) as string))
    await eventually(async () => {
      log.length = 0
      await askAll()
      expect(log.filter(({ cause }) => cause !== undefined)).toEqual([])
    })
  },
)
