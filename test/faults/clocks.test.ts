/** Two servers, of which one has a clock that leaps. docs/operations.md says what depends on which clock. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, idOf } from '../support/client.ts'
import { createPostgresDatabase, type PostgresTestDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { type EventStream, subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { createFakeClock, type FakeClock, hasFaketime } from '../support/fake-clock.ts'
import { createKey } from '../support/key-commands.ts'
import { endServersAfter, type Server, startServer } from './server.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const LIMITED = 'the-secret-of-a-limited-client'
const RATE_LIMIT = 20

const directory = useDirectory()

describe.skipIf(!hasFaketime)('while the clock of one server leaps', () => {
  let database: PostgresTestDatabase
  let clock: FakeClock
  let [right, wrong] = [] as unknown as [Server, Server]
  /** A subscription to the server with the wrong clock. */
  let stream: EventStream
  let key: string
  beforeAll(async () => {
    database = await createPostgresDatabase()
    // It migrates, too.
    key = (await createKey(database.env, 'shop', '--expires', '50m')).secret
    clock = createFakeClock(join(directory, 'clock'))
    right = await startServer(database.env)
    wrong = await startServer({ ...database.env, ...clock.env })
    stream = await subscribe(wrong.url, key, 'subscription { petChanged { pet { name } } }')
    expect(stream.response.statusCode).toBe(200)
  })
  endServersAfter(afterAll)
  afterAll(() => database.remove())

  /** The time that a server says it is, in seconds from now. */
  const readOffset = async ({ url }: Server) =>
    (Date.parse((await fetch(`${url}/healthz`)).headers.get('date') ?? '') - Date.now()) / 1_000

  it.each([
    ['an hour forward', HOUR],
    ['an hour back', -HOUR],
    ['a day forward', DAY],
    ['a day back', -DAY],
  ])(
    'by %s, keys, creations with idempotency keys, batches and subscriptions go on',
    async (name, offset) => {
      clock.setOffset(offset)
      // Node keeps the header for a second.
      await eventually(async () => expect(await readOffset(wrong)).toBeCloseTo(offset, -2))
      const client = createClient(wrong.url, key)
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const created = await client.createPet({ name, categoryId: 1 }, { headers })
      expect(created.status).toBe(201)
      expect(await stream.next()).toEqual({ data: { petChanged: { pet: { name } } } })
      for (const server of [right, wrong]) {
        const again = await createClient(server.url, key).createPet({ name, categoryId: 1 }, { headers })
        expect([again.status, idOf(again)]).toEqual([201, idOf(created)])
      }
      const reads = Array.from({ length: 20 }, () => client.send(`/v1/pets/${idOf(created)}`))
      expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]))
      clock.setOffset(0)
      expect((await client.send('/v1/pets?limit=1')).status).toBe(200)
    },
  )

  it('a rate limit lasts as long as it says', async () => {
    const env = { RATE_LIMIT: `${RATE_LIMIT}/${HOUR}`, API_KEYS: `limited:${LIMITED}` }
    const { url } = await startServer({ ...database.env, ...clock.env, ...env })
    const client = createClient(url, LIMITED)
    const ask = async () => (await client.send('/v1/pets?limit=1')).status
    for (let count = 0; count < RATE_LIMIT; count += 1) expect(await ask()).toBe(200)
    for (const offset of [DAY, -DAY, 0]) {
      clock.setOffset(offset)
      expect(await ask()).toBe(429)
    }
  })
})
