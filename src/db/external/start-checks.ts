/**
 * Checks a Postgres once, before it is used, for what only the operator can mend, and would otherwise make requests fail without a reason
 * in the log. What may change later is in database-state.ts.
 */
import { getTableName, sql } from 'drizzle-orm'
import { OperatorError } from '../../base/operator-error.ts'
import { CODES } from '../postgres/error-codes.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
import { createNotReadyError } from '../postgres/postgres-errors.ts'
import { askAll } from '../postgres/questions.ts'
import { REQUIRED_SETTINGS } from '../postgres/connections/settings.ts'
import { namedTables } from '../postgres/sql-parts.ts'
import { fixedStatement } from '../postgres/statement.ts'
import { idempotencyKeys, withOwnTables } from '../tables.ts'

/**
 * @param requests where the statements of requests will go
 * @param tables of resources
 * @returns what else has to be known before the database is used
 * @throws OperatorError if only the operator can help; ServiceError DATABASE_UNAVAILABLE
 */
export async function runStartChecks(
  requests: StatementTarget,
  tables: readonly string[],
): Promise<{ mayIdentify: boolean; isDistributed: boolean }> {
  const answers = await askAll(requests, 'startChecks', { ...startQuestions(tables), ...SETTING_QUESTIONS })
  const { isStandby, user, secured, hasCitus, mayIdentify } = answers
  const role = `"${user.replaceAll('"', '""')}"`
  // It may be promoted while the server waits.
  if (isStandby) throw createNotReadyError(CODES.READ_ONLY_SQL_TRANSACTION, 'this Postgres is a standby')
  if (secured !== null)
    throw new OperatorError(
      `Row-level security may hide rows of ${secured} from the user ${user}, and reject new ones.\n` +
        `Run as the owner, for each table: alter table … no force row level security\n` +
        `Or as a superuser: alter role ${role} bypassrls`,
    )
  const settings: Readonly<Record<string, unknown>> = answers
  for (const [name, required] of Object.entries(REQUIRED_SETTINGS))
    // Without a pooler, each connection sets them itself.
    if (settings[name] !== required)
      throw new OperatorError(
        `Through the pooler, the setting ${name} is ${String(settings[name])}, which this program cannot change.\n` +
          `Run: alter role ${role} set ${name} = '${required}'\nThen let the pooler open new connections.`,
      )
  const isDistributed = hasCitus && (await requests.query(findDistributed)).length > 0
  return { mayIdentify, isDistributed }
}

/** Asks this of `idempotency_keys`, which every cluster distributes (deploy/citus/distribute.sql), whatever its resources are. */
const findDistributed = fixedStatement(
  'findDistributed',
  sql`select logicalrelid from pg_dist_partition where logicalrelid = ${getTableName(idempotencyKeys)}::regclass`,
)

/**
 * Of a table with row-level security: whether the policies that apply to the user may hide or reject a row. They do not if one lets all
 * rows pass, for all commands, and none is restrictive. Four that do so for one command each would not either, but nothing counts them.
 */
const mayHideRows = sql`not coalesce((
  select bool_and(polpermissive) and bool_or(
    polcmd = '*' and pg_get_expr(polqual, polrelid) = 'true' and coalesce(pg_get_expr(polwithcheck, polrelid), 'true') = 'true'
  )
  from pg_policy
  where polrelid = pg_class.oid and exists (
    select from unnest(polroles) as role where role = 0 or pg_has_role(role, 'usage')
  )
), false)`

/** What is asked, by the names of the answers. */
function startQuestions(tables: readonly string[]) {
  return {
    isStandby: sql<boolean>`pg_is_in_recovery()`,
    user: sql<string>`current_user`,
    /** The tables with rows that row-level security may hide from the user. */
    secured: sql<string | null>`(
        select string_agg(relname, ', ' order by relname)
        from pg_class join ${namedTables(withOwnTables(tables))} using (oid)
        where row_security_active(oid) and ${mayHideRows}
      )`,
    hasCitus: sql<boolean>`to_regclass('pg_dist_partition') is not null`,
    /** Whether the user may ask which database this is (readIdentity). */
    mayIdentify: sql<boolean>`coalesce(has_function_privilege(to_regprocedure('pg_control_system()'), 'execute'), false)`,
  }
}

/** The value of each setting, by its name. */
const SETTING_QUESTIONS = Object.fromEntries(
  Object.keys(REQUIRED_SETTINGS).map((name) => [name, sql<string>`current_setting(${sql.raw(`'${name}'`)})`]),
)
