import { getHeapSpaceStatistics } from 'node:v8'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connections/connection.ts'
import { fixedStatement } from '../../../../src/db/postgres/statement.ts'
import { toHosts } from '../../../support/address.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { useService } from '../../../support/service.ts'

const service = useService()
const ROW_BYTES = 10_000
const STATEMENTS = 1_000

const readOldSpace = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0

it('rows do not stay in memory until a full collection', async ({ skip }) => {
  if (service.databaseUrl === '') skip('the embedded database has no URL')
  const connection = new Connection(toHosts(service.databaseUrl), () => undefined)
  const statement = {
    ...fixedStatement('repeat', sql.raw(`select repeat('x', ${ROW_BYTES})`)),
    prepare: true,
  }
  const runAll = async () => {
    for (let index = 1; index <= STATEMENTS; index += 1) {
      await connection.run(statement)
      // Objects that survive two of these are in the old generation.
      if (index % 50 === 0) collectGarbage({ type: 'minor' })
    }
  }
  await runAll()
  collectGarbage()
  const before = readOldSpace()
  await runAll()
  expect((readOldSpace() - before) / STATEMENTS).toBeLessThan(ROW_BYTES / 4)
  await connection.close()
})
