/** Tables that are made again under a running server: events go on, or subscriptions end. */
import type { Sql } from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EventStream, subscribe } from '../../support/event-stream.ts'
import { KEY, startService, useService } from '../../support/service.ts'

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
