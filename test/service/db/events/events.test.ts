/** A trigger and, on Citus, the server that writes send the same notifications. */
import { expect, it, onTestFinished } from 'vitest'
import { readEvent, sendEvents, type RowEvent } from '../../../../src/db/events/event-notifications.ts'
import { eventSources } from '../../../../src/server/resources.ts'
import { useService } from '../../../support/service.ts'

const service = useService()

it.skipIf(process.env.TEST_DATABASE !== 'postgres')(
  'an event is the same from the trigger and from a server',
  async () => {
    const [{ oid } = { oid: 0 }] = await service.sql<{ oid: number }[]>`select 'pets'::regclass::oid as oid`
    const received: string[] = []
    let onReceived: () => void = () => undefined
    const listening = await service.sql.listen(`pet_store_${oid}`, (payload) => {
      received.push(payload)
      onReceived()
    })
    onTestFinished(() => listening.unlisten())
    const next = async (send: Promise<unknown>) => {
      const arrived = new Promise<void>((resolve) => (onReceived = resolve))
      await send
      await arrived
      return received.at(-1) ?? ''
    }
    const ask = async (send: Promise<unknown>): Promise<RowEvent | null> =>
      readEvent(await next(send), eventSources)
    const writes = [
      service.sql`insert into pets (id, name, category_id) values (7, ${'Rex "I"\\'}, -9223372036854775808)`,
      service.sql`update pets set status = 'sold' where id = 7`,
      service.sql`delete from pets where id = 7`,
    ]
    for (const write of writes) {
      const event = await ask(write)
      if (!event) throw new Error('The trigger sent no event')
      const { text, parameters } = sendEvents([event])
      expect(await ask(service.sql.unsafe(text, [...parameters]))).toEqual(event)
    }
    const long: RowEvent = { table: 'pets', kind: 'created', row: { name: 'x'.repeat(8_000) }, before: null }
    const { text, parameters } = sendEvents([long])
    expect(await next(service.sql.unsafe(text, [...parameters]))).toBe('reset')
    expect(
      await next(service.sql`insert into pets (name, category_id) values (${'\u0001'.repeat(1_000)}, 1)`),
    ).toBe('reset')
  },
)
