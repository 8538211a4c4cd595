/** A server behind PgBouncer in transaction mode. The project `pooler` runs tests of the service through it, too. */
import connectTo from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { hasPgbouncer, PREPARED_STATEMENTS, startPgbouncer, type TestPooler } from '../support/pgbouncer.ts'
import { runOn, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { endPrograms, logLines, startProgram } from '../support/process.ts'
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

    async function run(...args: string[]): Promise<string> {
      const program = startProgram(env, args)
      program.child.stdin?.end()
      if ((await program.ended) !== 0) throw new Error(program.stderr.join('\n'))
      return program.stdout.join('\n')
    }

    it('the server does not start if the session URL is one of another database', async () => {
      const sql = connectTo(postgres.url)
      await sql`create database elsewhere`
      await sql.end()
      const DATABASE_LISTEN_URL = new URL('/elsewhere', postgres.url).href
      const program = startProgram({ ...env, DATABASE_LISTEN_URL })
      expect(await program.ended).toBe(1)
      expect(program.stderr.join('\n')).toContain(
        'DATABASE_LISTEN_URL and DATABASE_URL must lead to the same',
      )
      const other = connectTo(DATABASE_LISTEN_URL)
      expect(await other`select from pg_tables where tablename = 'pets'`).toHaveLength(0)
      await other.end()
    })

    it(`commands and requests work, and ${prepares ? 'their statements are' : 'nothing is'} prepared`, async () => {
      const secret = await run('keys', 'create', 'shop')
      const client = createClient(await startProgram(env).ready, secret)
      const created = await Promise.all(
        Array.from({ length: 100 }, (_, categoryId) => client.createPet({ name: 'Rex', categoryId })),
      )
      const read = created.map(({ json }, index) => {
        const { id } = json as { id: number }
        return index % 2 ? client.send(`/v1/pets/${id}`) : client.graphql(`{ pet(id: "${id}") { name } }`)
      })
      expect((await Promise.all(read)).map(({ status }) => status)).toEqual(created.map(() => 200))
      expect((await run('export', '-')).split('\n')).toHaveLength(100)
      expect(postgres.log()).not.toMatch(/ERROR|prepared statement/)
      // The name that PgBouncer gives to a statement.
      expect(/execute PGBOUNCER_\d/.test(postgres.log())).toBe(prepares)
    })

    it('a server that was not told of it waits, and says what is missing', async () => {
      const url = new URL(env.DATABASE_URL ?? '')
      url.search = ''
      const program = startProgram({ DATABASE_URL: url.href })
      await program.listening
      await eventually(() =>
        expect(logLines(program, 'waiting for the database')).toMatchObject([
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
      const program = startProgram({ ...env, DATABASE_URL: strict.toUrl(postgres.url) })
      expect(await program.ended).toBe(1)
      expect(program.stderr.join('\n')).toContain(
        `alter role "strict" set default_transaction_isolation = 'read committed'`,
      )
    })

    it('a statement that takes too long is cancelled in Postgres, and the server keeps serving', async () => {
      const secret = await run('keys', 'create', 'patient')
      const client = createClient(await startProgram(env).ready, secret)
      const lock = await lockPets(postgres.url)
      onTestFinished(() => lock.release())
      const waiting = [1, 2, 3, 4, 5, 6].map((limit) => client.send(`/v1/pets?limit=${limit}`))
      await lock.waitFor(1)
      const statuses = (await Promise.all(waiting)).map(({ status }) => status)
      expect(statuses.filter((status) => status === 504).length).toBeGreaterThan(0)
      expect(statuses.filter((status) => status !== 504 && status !== 503)).toEqual([])
      await lock.waitForNone()
      await lock.release()
      expect((await client.send('/v1/pets')).status).toBe(200)
      expect(postgres.log()).toContain('canceling statement due to user request')
    })
  })
})
