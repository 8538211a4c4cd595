import { expect, it } from 'vitest'
import { forCitus } from '../../../../src/db/citus/migrations.ts'
import { planMigrations } from '../../../../src/db/migrations/migrations.ts'

const OFF = 'set local citus.enable_ddl_propagation = off'
const ON = 'set local citus.enable_ddl_propagation = on'

it('functions stay on the coordinator; everything else reaches the workers', () => {
  const statements = [
    'CREATE TABLE "pets" ("id" bigint)',
    '-- Why.\nCREATE FUNCTION "notify"() …',
    'CREATE OR REPLACE FUNCTION "notify"() …',
    'ALTER FUNCTION "notify"() SET search_path FROM CURRENT',
    'CREATE TRIGGER "changed" … EXECUTE FUNCTION "notify"()',
  ]
  const [table = '', create = '', replace = '', alter = '', trigger = ''] = statements
  expect(forCitus(statements)).toEqual([
    table,
    ...[create, replace, alter].flatMap((statement) => [OFF, statement, ON]),
    trigger,
  ])
})

it('every ALTER FUNCTION … FROM CURRENT in the folder drizzle is one of them', () => {
  const all = planMigrations(0, { isShared: true }).flatMap(({ statements }) => statements ?? [])
  const altering = all.filter((statement) => statement.includes('FROM CURRENT'))
  expect(altering.length).toBeGreaterThan(0)
  for (const statement of altering) expect(forCitus([statement])[0]).toBe(OFF)
})
