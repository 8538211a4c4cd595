/** A server of this version on an older version's database: one test per migration that may be the last one applied. */
import { afterEach, it, onTestFinished } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { migrateTo } from '../support/migrations.ts'
import { endPrograms } from '../support/process.ts'
import { expectUpgrade, insertRows, OLDER_VERSIONS } from '../support/upgrade.ts'

afterEach(endPrograms)

it.each(OLDER_VERSIONS)(
  'a database with the migrations up to $tag is migrated and served',
  async ({ count }) => {
    const database = await createPostgresDatabase()
    onTestFinished(() => database.remove())
    const sql = database.connect()
    await migrateTo(count, sql)
    const hasKeys = await insertRows(sql)
    await sql.end()
    await expectUpgrade(database.env, hasKeys)
  },
)
