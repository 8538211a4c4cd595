import { setTimeout } from 'node:timers/promises'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { describe, expect, it, vi } from 'vitest'
import { OperatorError } from '../../../../src/base/operator-error.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { pathInProject } from '../../../../src/base/project-root.ts'
import { OpeningError } from '../../../../src/db/opening-error.ts'
import { migratePostgres, openPostgres, type Waiting } from '../../../../src/db/external/open-postgres.ts'
import { toFatalError } from '../../../../src/db/postgres/postgres-errors.ts'
import { answerRow, type Asked, HEALTHY_STATE, START_ANSWERS } from '../../support/answers.ts'
import { databaseErrorOf } from '../../support/database-error.ts'
import type { Statement, TextRow } from '../../../../src/db/postgres/statement.ts'
import { toAddresses, toConfig } from '../../../support/address.ts'
import { createFakeConnection } from '../../support/connection.ts'

const url = 'postgres://localhost:1/none'
const listenUrl = { ...toConfig(url), directHosts: toAddresses(url) }
const migrations = readMigrationFiles({ migrationsFolder: pathInProject('drizzle') })

type Answer = (statement: Asked) => TextRow[] | Promise<TextRow[]>

/** What each question of a start is answered by a database that is up to date. */
const answers = {
  'direct identity': () => [['cluster.1']],
  'direct encoding': () => [['UTF8', 'pet_store_migrations', 'public']],
  'direct record': () => migrations.map(({ folderMillis }) => [String(folderMillis)]),
  'requests identity': () => [['cluster.1']],
  'requests checks': (statement) => answerRow(statement, START_ANSWERS),
  'requests state': (statement) => answerRow(statement, HEALTHY_STATE),
} satisfies Record<string, Answer>
type Step = keyof typeof answers
type Changes = Partial<Record<Step, Answer>>

/** The options of a start. `steps`: those that were asked. @param changes the answers that differ */
function prepare(changes: Changes = {}) {
  const steps: Step[] = []
  const ask = (step: Step, statement: Asked = {}) => {
    steps.push(step)
    return { ...answers, ...changes }[step](statement)
  }
  const { connection } = createFakeConnection((text) => {
    if (text.includes('system_identifier')) return ask('direct identity')
    return ask(text.includes('server_encoding') ? 'direct encoding' : 'direct record')
  })
  const query = async (statement: Statement) => {
    if (statement.name === 'readIdentity') return ask('requests identity', statement)
    return ask(statement.name === 'readState' ? 'requests state' : 'requests checks', statement)
  }
  const closing = new AbortController()
  const options = {
    config: listenUrl,
    migrates: true,
    waits: true,
    connect: vi.fn<(limits: { hasTimeLimit: boolean }) => typeof connection>(() => connection),
    requests: { query },
    tables: ['crates'],
    onWaiting: vi.fn<(waiting: Waiting) => void>(),
    signal: closing.signal,
  }
  return { options, steps, closing }
}

/** Fails once, and then answers. */
const failingOnce = (step: Step, code: string) => failing(step, databaseErrorOf(code), 1)

/** Fails so often, and then answers. */
function failing(step: Step, error: Error, times: number): Changes {
  let calls = 0
  const answer: Answer = (statement) => {
    if ((calls += 1) <= times) throw error
    return answers[step](statement)
  }
  return { [step]: answer }
}

it('a start asks which database it is, migrates that, and then checks it', async () => {
  const { options, steps } = prepare()
  expect(await openPostgres(options)).toEqual({
    traits: { isIdentifiable: true, isDistributed: false },
    state: { isReadOnly: false, place: 'here', impairments: [] },
  })
  expect(steps).toEqual([
    'direct identity',
    'requests identity',
    'direct encoding',
    'direct record',
    'requests checks',
    'requests state',
  ])
  expect(options.connect.mock.calls.every(([{ hasTimeLimit }]) => hasTimeLimit)).toBe(true)
})

it('without a DATABASE_LISTEN_URL, there is only one database, so it is not asked which one it is', async () => {
  const { options, steps } = prepare()
  await openPostgres({ ...options, config: toConfig(url) })
  expect(steps).not.toContain('direct identity')
  expect(steps).not.toContain('requests identity')
})

it('what only uses dedicated connections asks nothing over others', async () => {
  const { options, steps } = prepare()
  await migratePostgres(options)
  expect(steps).toEqual(['direct encoding', 'direct record'])
})

it.each<[Step, string]>([
  ['direct identity', 'DATABASE_LISTEN_URL'],
  ['requests identity', 'DATABASE_URL'],
  ['direct encoding', 'DATABASE_LISTEN_URL'],
  ['direct record', 'DATABASE_LISTEN_URL'],
  ['requests checks', 'DATABASE_URL'],
  ['requests state', 'DATABASE_URL'],
])('if the step "%s" fails, it names %s, waits, and tries again', async (step, variable) => {
  const { options } = prepare(failingOnce(step, 'ECONNREFUSED'))
  expect(await openPostgres(options)).not.toBeNull()
  expect(options.onWaiting.mock.calls).toMatchObject([
    [
      {
        type: 'database waiting',
        variable,
        reason: { databaseCode: 'ECONNREFUSED' },
        advice: expect.any(String),
      },
    ],
  ])
})

it.each<[Step, string, code: string]>([
  ['direct encoding', 'DATABASE_LISTEN_URL', '0A000'],
  ['requests checks', 'DATABASE_URL', '58030'],
])(
  'what waiting cannot mend ends a start, and names the variable: at "%s", %s',
  async (step, variable, code) => {
    const { options } = prepare(failingOnce(step, code))
    const opening = openPostgres(options)
    await expect(opening).rejects.toBeInstanceOf(OpeningError)
    await expect(opening).rejects.toMatchObject({ variable })
    expect(options.onWaiting).not.toHaveBeenCalled()
  },
)

it('two URLs of different databases end a start before anything is migrated', async () => {
  const { options, steps } = prepare({ 'requests identity': () => [['cluster.2']] })
  await expect(openPostgres(options)).rejects.toBeInstanceOf(OperatorError)
  expect(steps).toEqual(['direct identity', 'requests identity'])
})

it('standbys of a distributed database end a start', async () => {
  const { options } = prepare({
    'requests checks': (statement) =>
      statement.text?.includes('from pg_dist_partition')
        ? [['idempotency_keys']]
        : answerRow(statement, { ...START_ANSWERS, hasCitus: true }),
  })
  const distributed = await openPostgres(options)
  expect(distributed?.traits.isDistributed).toBe(true)
  const [address] = listenUrl.hosts
  if (!address) expect.unreachable()
  const config = { ...listenUrl, standbys: [{ address, maxLagSeconds: 10 }] }
  await expect(openPostgres({ ...options, config })).rejects.toThrow(/^DATABASE_READ_URL/)
})

it('what is waited for is reported once until it changes, also if only its code does', async () => {
  const codes = ['TIMEOUT', 'TIMEOUT', 'OVERLOADED', 'TIMEOUT'] as const
  let calls = 0
  const { options } = prepare({
    'direct identity': () => {
      const code = codes[calls++]
      if (code) throw new ServiceError(code)
      return [['cluster.1']]
    },
  })
  await openPostgres(options)
  const reported = options.onWaiting.mock.calls.map(([{ reason }]) =>
    reason instanceof ServiceError ? reason.code : reason,
  )
  expect(reported).toEqual(['TIMEOUT', 'OVERLOADED', 'TIMEOUT'])
})

it('a start that waits ends when the database is closed', async () => {
  const { options, closing } = prepare(failingOnce('direct identity', 'ECONNREFUSED'))
  options.onWaiting.mockImplementation(() => closing.abort())
  expect(await openPostgres(options)).toBeNull()
})

describe('what does not wait', () => {
  const refused = toFatalError({ code: '53300', message: 'too many clients already' })

  it('fails if Postgres cannot be reached', async () => {
    const { options, steps } = prepare(failingOnce('direct encoding', 'ECONNREFUSED'))
    const opening = migratePostgres({ ...options, waits: false })
    await expect(opening).rejects.toBeInstanceOf(OpeningError)
    await expect(opening).rejects.toMatchObject({
      variable: 'DATABASE_LISTEN_URL',
      cause: { databaseCode: 'ECONNREFUSED' },
    })
    expect(steps).toEqual(['direct encoding'])
  })

  it.concurrent('tries for 3 seconds to get a connection while Postgres has too many', async () => {
    const { options } = prepare(failing('direct encoding', refused, Infinity))
    const started = performance.now()
    const opening = migratePostgres({ ...options, waits: false })
    await expect(opening).rejects.toMatchObject({ name: 'OpeningError', cause: refused })
    expect(performance.now() - started).toBeGreaterThan(2_900)
  })

  it.concurrent('opens what had too many connections for less than that', async () => {
    const { options } = prepare(failing('direct encoding', refused, 6))
    await migratePostgres({ ...options, waits: false })
  })

  it.concurrent('may migrate for longer once it has a connection', async () => {
    const { options } = prepare({
      ...failing('direct encoding', refused, 1),
      'direct record': () => setTimeout(3_000, answers['direct record']()),
    })
    await migratePostgres({ ...options, waits: false })
  })
})
