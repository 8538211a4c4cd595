/** Servers of the version before and of this one read the same events, while an upgrade replaces one with the other. */
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { parseExactJsonText } from '../../src/base/json.ts'
import { createEventReader } from '../../src/db/events/change-notifications.ts'
import type { RowEvent } from '../../src/db/events/change-feed.ts'
import { PostgresDatabase } from '../../src/db/postgres-database.ts'
import { petEvents } from '../../src/pets/pets.ts'
import { petStatus } from '../../src/pets/table.ts'
import { createPostgresDatabase } from '../support/database.ts'

/** SEED repeats a run. CI sends the same pets every time. */
const seed = Number(process.env.SEED ?? (process.env.CI ? 1 : Date.now() % 2 ** 31))

/** What the version before read of an event. */
interface EarlierEvent {
  kind: string
  id: string
  name: string
  states: { categoryId: string; status: string | null; nameKey: string }[]
}

const pet = fc.record({
  name: fc.string({ unit: 'binary', maxLength: 600 }).filter((name) => !name.includes('\0')),
  category: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  status: fc.option(fc.constantFrom(...petStatus.enumValues)),
})

it(`an event says the same to a server of the version before (SEED=${seed})`, async () => {
  const database = await createPostgresDatabase()
  const url = database.env.DATABASE_URL
  const server = new PostgresDatabase({ url, sessionUrl: null, standbys: [] }, petEvents, { migrates: true })
  await server.open((problem) => expect.unreachable(problem.message))
  await server.close()
  const sql = database.connect()
  onTestFinished(async () => {
    await sql.end()
    await database.remove()
  })
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
      pet,
      fc.option(pet),
      async (id, now, before) => {
        const rowOf = ({ name, category, status }: typeof now) =>
          sql`json_build_object('id', ${String(id)}::bigint, 'name', ${name}::text, 'category_id', ${category}::bigint, 'status', ${status}::pet_status)`
        const kind = before ? 'updated' : 'created'
        const [written] = await sql<{ event: string }[]>`
          select pet_event(${kind}, ${rowOf(now)}, ${before ? rowOf(before) : null}) as event`
        const event = written?.event ?? ''
        const found: RowEvent[] = []
        createEventReader(
          { publish: (read) => found.push(read), endAll: () => expect.unreachable(event) },
          petEvents,
        )(`1 1 1 ${event}`)
        expect(parseExactJsonText(event)).toMatchObject({ kind })

        // As it was read: JSON.parse, with digits as strings.
        const earlier = JSON.parse(event) as EarlierEvent
        const states = [now, ...(before ? [before] : [])]
        expect(earlier).toMatchObject({
          kind,
          id: String(id),
          name: now.name,
          states: states.map(({ category, status }) => ({ categoryId: category, status })),
        })
        const [row, old = null] = states.map(({ name, category, status }, index) => ({
          id: String(id),
          name,
          category_id: category,
          status,
          nameKey: earlier.states[index]?.nameKey,
        }))
        expect(found).toEqual([{ kind, row, before: old }])
      },
    ),
    { seed, numRuns: 200 },
  )
})
