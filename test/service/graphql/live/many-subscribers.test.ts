/**
 * How many subscriptions a key may have.
 *
 * @module-tag slow
 */
import { expect, it, onTestFinished } from 'vitest'
import { idOf } from '../../../support/client.ts'
import { type EventStream, subscribe } from '../../../support/event-stream.ts'
import { eventually } from '../../../support/eventually.ts'
import { KEY, useService } from '../../../support/service.ts'

/** A key that has all its subscriptions. */
const CROWD = 'a-secret-of-a-crowd'
const service = useService({ API_KEYS: `test:${KEY},crowd:${CROWD}` })
const QUERY = 'subscription { petChanged(filter: {categoryId: 1000}) { kind pet { id } } }'

async function watch(key: string): Promise<EventStream> {
  const stream = await subscribe(service.url, key, QUERY)
  onTestFinished(() => stream.abort())
  return stream
}

const create = async (pet: object) => idOf(await service.client.createPet({ categoryId: 7, ...pet }))

it('an event reaches 1,000 subscribers of one key, which still answers requests, and lets another key subscribe', async () => {
  const streams: EventStream[] = []
  // On a busy machine, the last of 1,000 at once would not have sent its headers in time.
  for (let batch = 0; batch < 10; batch += 1)
    streams.push(...(await Promise.all(Array.from({ length: 100 }, () => watch(CROWD)))))
  const refused = await watch(CROWD)
  expect(refused.response.statusCode).toBe(429)
  expect(await refused.next()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
  expect(await refused.next()).toBeNull()
  streams.push(await watch(KEY))
  await create({ name: 'to none' })
  const id = await create({ name: 'to all', categoryId: 1_000 })
  const events = await Promise.all(streams.map((stream) => stream.next()))
  expect(events.every((received) => JSON.stringify(received).includes(`"${id}"`))).toBe(true)
  expect((await service.client.send('/v1/pets?limit=1')).status).toBe(200)
  streams[0]?.abort()
  await eventually(async () => {
    const stream = await watch(CROWD)
    await create({ name: 'to all', categoryId: 1_000 })
    expect(await stream.next()).toMatchObject({ data: { petChanged: { kind: 'created' } } })
  })
})
