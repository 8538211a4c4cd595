/** `petstore distribute` where there is nothing to distribute over; test/service/db/citus.test.ts has the rest. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { run } from '../support/process.ts'

const database = useDatabase()
const DATA_DIR = join(useDirectory(), 'data')

it.each([
  [
    'a plain Postgres',
    () => database.env,
    'The database in DATABASE_URL does not belong to a Citus cluster: it lacks the extension citus. Nothing was changed.',
  ],
  [
    'the embedded database',
    () => ({ DATA_DIR }),
    'The embedded database cannot be distributed: only a Citus cluster can. Set DATABASE_URL to the coordinator of one.',
  ],
])('on %s, petstore distribute says that it needs Citus, and changes nothing', async (_, env, message) => {
  expect(await run(env(), 'distribute')).toEqual({ status: 1, stdout: '', stderr: message })
  expect(existsSync(DATA_DIR)).toBe(false)
  const sql = database.connect()
  expect(await sql`select from pg_trigger where tgrelid = 'pets'::regclass`).toHaveLength(3)
  await sql.end()
})
