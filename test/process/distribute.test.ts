/** `petstore distribute` where there is nothing to distribute over; test/service/db/citus.test.ts has the rest. */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createMigratedDatabase } from '../support/database.ts'
import { startProgram } from '../support/process.ts'

async function distribute(env: Record<string, string>, ...args: string[]): Promise<[unknown, string]> {
  const program = startProgram(env, ['distribute', ...args])
  return [await program.ended, program.stderr.join('\n')]
}

it('on a plain Postgres, petstore distribute says that it needs Citus, and changes nothing', async () => {
  const database = await createMigratedDatabase()
  const sql = database.connect()
  expect(await distribute(database.env)).toEqual([
    1,
    'The database in DATABASE_URL does not belong to a Citus cluster: it lacks the extension citus. Nothing was changed.',
  ])
  expect(await sql`select from pg_trigger where tgrelid = 'pets'::regclass`).toHaveLength(3)
  await sql.end()
  await database.remove()
})

it('on the embedded database, petstore distribute says that it needs Citus, and does not even create it', async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'pet-store-'))
  expect(await distribute({ DATA_DIR: join(directory.path, 'data') })).toEqual([
    1,
    'The embedded database cannot be distributed: only a Citus cluster can. Set DATABASE_URL to the coordinator of one.',
  ])
})

it.each(['0', '64001', '-1', '1.5', 'many', ''])(
  'petstore distribute rejects --shards=%j as wrong usage',
  async (shards) => {
    expect(await distribute({}, `--shards=${shards}`)).toEqual([
      2,
      'error: --shards must be a number from 1 to 64000.',
    ])
  },
)
