/** A server behind PgBouncer in transaction mode. The project `pooler` runs tests of the service through it, too. */
import postgresJs from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../support/client.ts'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { hasPgbouncer, PREPARED_STATEMENTS, startPgbouncer, type TestPooler } from '../support/pgbouncer.ts'
import { runOn, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { endPrograms, logLines, run, startProgram, stopProgram, waitLines } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { lockPets } from '../support/table-lock.ts'

if (hasPgbouncer && !PREPARED_STATEMENTS)
  console.warn('Prepared statements through a pooler are not tested: set PGBOUNCER to one of 1.21 or later.')

describe.each([
  { title: 'PgBouncer', settings: {}, isSkipped: !hasPgbouncer, prepares: false },
  {
    title: 'PgBouncer, which follows prepared statements',
    settings: PREPARED_STATEMENTS ?? {},
    isSkipped: !PREPARED_STATEMENTS,
    prepares: true,
  },
])('behind $title', ({ settings, isSkipped, prepares }) => {
  describe.skipIf(isSkipped)('in transaction mode', () => {
    let postgres: TestPostgres
    let pooler: TestPooler
    let env: Record<string, string>
    beforeAll(async () => {
      postgres = await startPostgres({ fsync: 'off', log_statement: 'all' })
      // Fewer connections than the server's, so that its statements switch connections.
      pooler = await startPgbouncer(postgres.url, { default_pool_size: '3', ...settings })
      env = { DATABASE_URL: pooler.toUrl(postgres.url), DATABASE_LISTEN_URL: postgres.url }
    })
    afterAll(async () => {
      await endPrograms()
      await pooler.remove()
      await postgres.remove()
    })

    /** The output of a command that succeeds. */
    async function outputOf(...args: string[]): Promise<string> {
      const { status, stdout, stderr } = await run(env, ...args)
      expect(status, stderr).toBe(0)
      return stdout
    }

    it('the server does not start if DATABASE_LISTEN_URL leads to another database', async () => {
      await runOn(postgres.url, 'create database elsewhere')
      const DATABASE_LISTEN_URL = new URL('/elsewhere', postgres.url).href
      const message = 'DATABASE_LISTEN_URL and DATABASE_URL must point to the same'
      expect(await run({ ...env, DATABASE_LISTEN_URL })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(message),
      })
      expect(await runOn(DATABASE_LISTEN_URL, `select to_regclass('pets')::text`)).toBeNull()
    })

    it(`commands and requests work, and ${prepares ? 'their statements are' : 'nothing is'} prepared`, async () => {
      const secret = await outputOf('keys', 'create', 'shop')
      const client = createClient(await startProgram(env).ready, secret)
      const created = await Promise.all(
        Array.from({ length: 100 }, (_, categoryId) => client.createPet({ name: 'Rex', categoryId })),
      )
      const read = created.map(({ json }, index) => {
        const { id } = json as { id: number }
        return index % 2 ? client.send(`/v1/pets/${id}`) : client.graphql(`{ pet(id: "${id}") { name } }`)
      })
      expect((await Promise.all(read)).map(({ status }) => status)).toEqual(created.map(() => 200))
      expect((await outputOf('export', '-')).split('\n')).toHaveLength(100)
      expect(postgres.log()).not.toMatch(/ERROR|prepared statement/)
      // The name that PgBouncer gives to a statement.
      expect(/execute PGBOUNCER_\d/.test(postgres.log())).toBe(prepares)
    })

    it('a subscription ends if the pooler leads to another database than DATABASE_LISTEN_URL from now on', async () => {
      const [served, restored] = ['served', 'restored'].map((name) => new URL(`/${name}`, postgres.url).href)
      if (!served || !restored) throw new Error('There are two databases')
      for (const url of [served, restored]) {
        await runOn(postgres.url, `create database ${new URL(url).pathname.slice(1)}`)
        expect(await run({ DATABASE_URL: url }, 'migrate')).toMatchObject({ status: 0 })
      }
      const program = startProgram({
        DATABASE_URL: pooler.toUrl(served),
        DATABASE_LISTEN_URL: served,
        API_KEYS: `test:${KEY}`,
      })
      const url = await program.ready
      const client = createClient(url, KEY)
      const watch = () => subscribe(url, KEY, 'subscription { petChanged { pet { name } } }')
      const before = await watch()
      await client.createPet({ name: 'before', categoryId: 1 })
      expect(await before.next()).toMatchObject({ data: { petChanged: { pet: { name: 'before' } } } })

      pooler.redirect(served, restored)
      await eventually(async () => {
        expect((await client.createPet({ name: 'missed', categoryId: 1 })).status).toBe(201)
        expect(await runOn(restored, 'select count(*) from pets')).not.toBe('0')
      })
      expect(await before.next()).toBeNull()
      const refused = await watch()
      expect(await refused.next()).toMatchObject({
        errors: [{ extensions: { code: 'DATABASE_UNAVAILABLE' } }],
      })
      const causes = () => logLines(program, 'request').map(({ cause }) => cause)
      await eventually(() => expect(causes()).toContainEqual(expect.stringContaining('other tables')))
      for (const stream of [before, refused]) stream.abort()
    })

    it.each([
      ['transaction', 'DATABASE_URL', false],
      ['transaction', 'DATABASE_LISTEN_URL', false],
      ['session', 'DATABASE_URL', true],
    ])(
      'live updates through a pooler in %s mode that %s does not declare: %s',
      async (mode, variable, doArrive) => {
        const undeclared = await startPgbouncer(postgres.url, {
          ...settings,
          pool_mode: mode,
          ignore_startup_parameters: 'statement_timeout',
        })
        const direct = new URL(undeclared.toUrl(postgres.url))
        direct.search = ''
        const DATABASE_URL = pooler.toUrl(postgres.url)
        const urls = { ...(variable !== 'DATABASE_URL' && { DATABASE_URL }), [variable]: direct.href }
        const program = startProgram({ ...urls, API_KEYS: `test:${KEY}` })
        onTestFinished(async () => {
          // In session mode, a pooler waits for its clients.
          await stopProgram(program)
          await undeclared.remove()
        })
        const url = await program.ready
        const stream = await subscribe(url, KEY, 'subscription { petChanged { kind } }')
        const pet = { name: 'Rex', categoryId: 1 }
        expect((await createClient(url, KEY).createPet(pet)).status).toBe(201)
        const answer = await stream.next()
        stream.abort()
        if (doArrive) return expect(answer).toMatchObject({ data: { petChanged: { kind: 'created' } } })
        expect(answer).toMatchObject({ errors: [{ extensions: { code: 'DATABASE_UNAVAILABLE' } }] })
        const causes = () => logLines(program, 'request').map(({ cause }) => cause)
        await eventually(() => expect(causes()).toContainEqual(expect.stringContaining('pooler')))
      },
    )

    it('a server whose URL does not name the pooler waits, and says what is missing', async () => {
      const url = new URL(env.DATABASE_URL ?? '')
      url.search = ''
      const program = startProgram({ DATABASE_URL: url.href })
      await program.listening
      await eventually(() =>
        expect(waitLines(program)).toMatchObject([
          {
            variable: 'DATABASE_URL',
            cause: expect.stringMatching(/^08P01: unsupported startup parameter/),
            advice: expect.stringContaining('?pooler=transaction'),
          },
        ]),
      )
      expect(program.stdout).toEqual([])
    })

    it('a server does not start if the pooler gives its role other defaults, and says what to do', async () => {
      await runOn(postgres.url, `create role strict superuser login`)
      await runOn(postgres.url, `alter role strict set default_transaction_isolation = 'serializable'`)
      const strict = await startPgbouncer(postgres.url, settings, 'strict')
      onTestFinished(() => strict.remove())
      const { status, stderr } = await run({ ...env, DATABASE_URL: strict.toUrl(postgres.url) })
      expect(status).toBe(1)
      expect(stderr).toContain(`alter role "strict" set default_transaction_isolation = 'read committed'`)
    })

    it('while the pooler is busy, a statement that times out closes no connections but its own', async () => {
      const program = startProgram({ ...env, API_KEYS: `test:${KEY}`, METRICS_PORT: '0' })
      const client = createClient(await program.ready, KEY)
      const [line] = logLines(program, 'metrics are served')
      const countIdle = async () => {
        const text = await (await fetch(String(line?.url))).text()
        return Number(/^db_client_connections\{.*"idle".*\} (\d+)$/m.exec(text)?.[1])
      }
      const limits = [1, 2, 3, 4, 5, 6]
      await Promise.all(limits.map((limit) => client.send(`/v1/pets?limit=${limit}&status=sold`)))
      await eventually(async () => expect(await countIdle()).toBeGreaterThan(1))
      const before = await countIdle()
      const others = postgresJs(pooler.toUrl(postgres.url).split('?')[0] ?? '', { max: 3, prepare: false })
      const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
      onTestFinished(() => release(undefined))
      const transactions = [1, 2, 3].map(() => {
        const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>()
        const ended = others.begin(async (tx) => {
          await tx`select`
          begin(undefined)
          await released
        })
        return { begun, ended }
      })
      await Promise.all(transactions.map(({ begun }) => begun))
      expect((await client.send('/v1/pets?limit=1')).status).toBe(504)
      expect(await countIdle()).toBe(before - 1)
      release(undefined)
      await Promise.all(transactions.map(({ ended }) => ended))
      await others.end()
      expect((await client.send('/v1/pets?limit=1')).status).toBe(200)
    })

    it('a statement that takes too long is cancelled in Postgres, and the server keeps serving', async () => {
      const secret = await outputOf('keys', 'create', 'patient')
      const client = createClient(await startProgram(env).ready, secret)
      const list = (limit: number) => client.send(`/v1/pets?limit=${limit}`)
      // These open several connections, all but one of which are idle for longer than the time limit below.
      await Promise.all([1, 2, 3].map(list))
      const lock = await lockPets(postgres.url)
      onTestFinished(() => lock.release())
      for (const limits of [[1], [1, 2, 3, 4, 5, 6]]) {
        const waiting = limits.map(list)
        await lock.waitFor(1)
        const statuses = (await Promise.all(waiting)).map(({ status }) => status)
        expect(statuses.filter((status) => status === 504).length).toBeGreaterThan(0)
        expect(statuses.filter((status) => status !== 504 && status !== 503)).toEqual([])
        await lock.waitForNone()
      }
      await lock.release()
      expect((await client.send('/v1/pets')).status).toBe(200)
      expect(postgres.log()).toContain('canceling statement due to user request')
    })
  })
})
