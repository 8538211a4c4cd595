/** A database whose changes make no events: the server goes on, and its log says what to do. */
import { expect, it, onTestFinished } from 'vitest'
import { runOn } from '../../../support/postgres.ts'
import { startService, type TestService, useService } from '../../../support/service.ts'

const isPostgres = process.env.TEST_DATABASE === 'postgres'
const service = useService({})

const problemsIn = (log: TestService['log'], message = 'the database works only in part') =>
  log.filter(({ msg }) => msg === message).map(({ problem }) => problem)

async function startAnother(options = ''): Promise<TestService> {
  const another = await startService({ DATABASE_URL: service.databaseUrl + options })
  onTestFinished(() => another.stop())
  return another
}

it.skipIf(!isPostgres)('nothing is reported of a database as the migrations make it', async () => {
  expect(problemsIn((await startAnother()).log)).toEqual([])
})

it.skipIf(!isPostgres).each([
  [
    'disabled, as by a pg_restore that failed',
    'alter table pets disable trigger all',
    'alter table pets enable trigger all',
  ],
  [
    'disabled, one of them',
    'alter table pets disable trigger pets_changed',
    'alter table pets enable trigger pets_changed',
  ],
  [
    'enabled only for replicated rows',
    'alter table pets enable replica trigger pets_created',
    'alter table pets enable always trigger pets_created',
  ],
  [
    'missing',
    'drop trigger pets_truncated on pets',
    'create trigger pets_truncated after truncate on pets for each statement execute function send_events()',
  ],
])('triggers that are %s are reported by a server that runs, and by one that starts', async (_, off, on) => {
  const { client, databaseUrl, log } = service
  const isReady = async () => expect((await client.send('/readyz')).status).toBe(200)
  log.length = 0
  await runOn(databaseUrl, off)
  await isReady()
  expect(problemsIn(log)).toEqual([expect.stringContaining('triggers')])
  expect(problemsIn((await startAnother()).log)).toEqual(problemsIn(log))
  await runOn(databaseUrl, on)
  await isReady()
  expect(problemsIn(log, 'the database works again as it should')).toEqual(problemsIn(log))
})

it.skipIf(!isPostgres)(
  'a setting that keeps triggers from running is reported, unless all of them always run',
  async () => {
    const replica = '?options=-c%20session_replication_role%3Dreplica'
    const enable = (mode: string, name: string) =>
      runOn(service.databaseUrl, `alter table pets enable ${mode} trigger ${name}`)
    const names = ['pets_created', 'pets_changed', 'pets_truncated']
    for (const name of names) await enable('always', name)
    expect(problemsIn((await startAnother(replica)).log)).toEqual([])
    await enable('', 'pets_changed')
    expect(problemsIn((await startAnother(replica)).log)).toEqual([
      expect.stringContaining('session_replication_role'),
    ])
    for (const name of names) await enable('', name)
  },
)
