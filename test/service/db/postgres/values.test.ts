/** The driver does not convert values. */
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { DedicatedConnection } from '../../../../src/db/postgres/connections/dedicated-connection.ts'
import { statementTemplate, placeholder } from '../../../../src/db/postgres/statement.ts'
import { toHosts } from '../../../support/address.ts'
import { useService } from '../../../support/service.ts'

const service = useService()

it('a value of any type is sent and read as the text that Postgres reads and writes', async ({ skip }) => {
  skip(
    process.env.TEST_DATABASE === 'embedded',
    'the same driver reaches it, by an address that only the server knows',
  )
  const values = {
    boolean: 't',
    smallint: '1',
    integer: '-2',
    bigint: '9223372036854775807',
    real: '1.5',
    'double precision': '2.5',
    numeric: '3.50',
    json: '{"a": 1}',
    jsonb: '{"b": 2}',
    date: '2026-11-23',
    timestamp: '2026-11-23 01:02:03',
    bytea: '\\x01',
    text: 'Rex',
  }
  const types = Object.keys(values) as (keyof typeof values)[]
  const parameters = types.map((type) => placeholder(type, type))
  const statement = statementTemplate('readValues', sql`select ${sql.join(parameters, sql`, `)}`)
  await using connection = new DedicatedConnection(toHosts(service.databaseUrl))
  expect(await connection.query(statement.with(values))).toEqual([Object.values(values)])
})
