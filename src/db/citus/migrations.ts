/** Migrations in a database that belongs to a Citus cluster. */
import { getTableName, sql } from 'drizzle-orm'
import { fixedStatement, type Statement, type TextRow } from '../postgres/statement.ts'
import { idempotencyKeys } from '../tables.ts'

const FUNCTION = /^(?:\s|--.*\n)*(?:CREATE|CREATE OR REPLACE|ALTER) FUNCTION\b/i

/**
 * Keeps functions on the coordinator: Citus (13.2) would create them on the workers, too, where it cannot run ALTER FUNCTION … SET …
 * FROM CURRENT. A distributed table has no triggers, and servers call the others on the coordinator.
 * @returns the statements of a transaction
 */
export function forCitus(statements: readonly string[]): string[] {
  return statements.flatMap((statement) =>
    FUNCTION.test(statement)
      ? [
          'set local citus.enable_ddl_propagation = off',
          statement,
          'set local citus.enable_ddl_propagation = on',
        ]
      : [statement],
  )
}

const toStatement = (text: string) => fixedStatement('inspectCluster', sql.raw(text))
const begin = toStatement('begin')
const commit = toStatement('commit')
/** Held by `petstore distribute` until it has committed. */
const waitForDistribution = fixedStatement(
  'inspectCluster',
  sql`lock table ${idempotencyKeys} in access share mode`,
)
const selectDistributed = toStatement(
  `select exists (select from pg_dist_partition where logicalrelid = '${getTableName(idempotencyKeys)}'::regclass)::text`,
)

/**
 * Waits while the tables are being distributed, all in one transaction. Only for a database with the extension Citus.
 * @param run runs a statement, always on the same connection
 */
export async function readWhetherDistributed(
  run: (statement: Statement) => Promise<TextRow[]>,
): Promise<boolean> {
  await run(begin)
  await run(waitForDistribution)
  const [[isDistributed] = []] = await run(selectDistributed)
  await run(commit)
  return isDistributed === 'true'
}
