/** The queue in which Postgres keeps notifications until every session that listens has read them. */
import { afterEach, expect, it, onTestFinished } from 'vitest'
import createSql from 'postgres'
import { eventually } from '../support/eventually.ts'
import { startPostgres } from '../support/postgres.ts'
import { logLines } from '../support/process.ts'
import { endServersAfter, startServer } from './server.ts'

endServersAfter(afterEach)

/** Events of nearly the maximum length fill it faster. */
const PET = { name: 'x'.repeat(1_000), categoryId: 1 }

it('if a session that listens never reads, the log says so in time, writes get 503 when the queue is full, and succeed afterwards', async ({
  skip,
}) => {
  // The default is 8 GB; before version 17, it cannot be changed.
  const postgres = await startPostgres({ fsync: 'off', max_notify_queue_pages: '64' }).catch(() => null)
  if (!postgres) return skip('this Postgres has no max_notify_queue_pages')
  onTestFinished(() => postgres.remove())
  const { client, program } = await startServer({ DATABASE_URL: postgres.url })
  const create = async () => (await client.createPet(PET)).status
  const reader = createSql(postgres.url, { max: 1 })
  onTestFinished(() => reader.end({ timeout: 1 }))
  const { promise: isRead, resolve: read } = Promise.withResolvers<undefined>()
  await reader`listen anything`
  const reading = reader.begin(async (tx) => {
    await tx`select`
    await isRead
  })

  const problems = () => logLines(program, 'the database works only in part').map(({ problem }) => problem)
  while (problems().length === 0) {
    expect(await create()).toBe(201)
    await client.send('/readyz')
  }
  expect(problems()).toEqual([expect.stringContaining('NOTIFY')])
  const statuses = new Set<number>()
  await eventually(async () => {
    statuses.add(await create())
    expect(statuses).toContain(503)
  })
  expect([...statuses]).toEqual([201, 503])
  expect((await client.send('/v1/pets')).status).toBe(200)
  const failed = logLines(program, 'request').filter(({ status }) => status === 503)
  expect(failed[0]).toMatchObject({ cause: expect.stringMatching(/^54000: .*NOTIFY/) })

  read(undefined)
  await reading
  await eventually(async () => expect(await create()).toBe(201))
  await eventually(() => expect(logLines(program, 'the database works again as it should')).toHaveLength(1))
})
