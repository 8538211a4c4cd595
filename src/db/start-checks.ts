/** What is checked of a Postgres before it is used: what would otherwise make requests fail, with no reason in the log. */
import { getTableName, sql } from 'drizzle-orm'
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { createMissingRightError } from './postgres/postgres-errors.ts'
import type { Queryable } from './postgres/pool.ts'
import { RELIED_ON } from './postgres/settings.ts'
import { fixedStatement } from './postgres/statement.ts'
import { apiKeys, idempotencyKeys } from './tables.ts'

const OWN_TABLES = [apiKeys, idempotencyKeys].map(getTableName)

/**
 * @param pool where the statements of requests will go
 * @param tables of resources
 * @returns whether the tables are spread over the workers of a Citus cluster
 * @throws OperatorError if only the operator can help; ServiceError DATABASE_UNAVAILABLE
 */
export async function checkDatabase(pool: Queryable, tables: readonly string[]): Promise<boolean> {
  const [[isStandby, user, hidden, secured, hasCitus, ...settings] = []] = await pool.query(readState(tables))
  if (isStandby === 'true')
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: '25006: this Postgres is a standby' })
  if (hidden != null) throw createMissingRightError(hidden)
  if (secured != null)
    throw new OperatorError(
      `Row-level security hides rows of ${secured} from the user ${user}, and rejects new ones.\n` +
        `Run as the owner, for each: alter table … no force row level security\n` +
        `Or as a superuser: alter role "${user}" bypassrls`,
    )
  Object.entries(RELIED_ON).forEach(([name, wanted], index) => {
    // Directly, each connection sets them.
    if (settings[index] !== wanted)
      throw new OperatorError(
        `Through the pooler, ${name} is ${settings[index]}, which this program cannot change.\n` +
          `Run: alter role "${user}" set ${name} = '${wanted}'\nThen let the pooler open new connections.`,
      )
  })
  return hasCitus === 'true' && (await pool.query(findDistributed)).length > 0
}

const findDistributed = fixedStatement(
  'findDistributed',
  sql`select logicalrelid from pg_dist_partition where logicalrelid = ${sql.raw(`'${getTableName(idempotencyKeys)}'`)}::regclass`,
)

function readState(tables: readonly string[]) {
  const names = [...tables, ...OWN_TABLES].map((table) => sql`to_regclass(${`"${table}"`}::text)`)
  const settings = Object.keys(RELIED_ON).map((name) => sql`current_setting(${name}::text)`)
  return fixedStatement(
    'checkDatabase',
    sql`
      select pg_is_in_recovery()::text, current_user::text,
        (
          select string_agg(relname, ', ' order by relname) from pg_class
          where oid in (${sql.join(names, sql`, `)}) and not has_table_privilege(oid, 'select')
        ),
        (
          select string_agg(relname, ', ' order by relname) from pg_class
          where oid in (${sql.join(names, sql`, `)}) and row_security_active(oid) and not exists (
            select from pg_policy
            where polrelid = pg_class.oid and polpermissive and polcmd = '*' and pg_get_expr(polqual, polrelid) = 'true'
          )
        ),
        (to_regclass('pg_dist_partition') is not null)::text,
        ${sql.join(settings, sql`, `)}`,
  )
}
