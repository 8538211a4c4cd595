/**
 * What a database says when the server asks whether it can serve: when it is opened, and later on demand (external/state-watch.ts). What only the operator
 * can mend is asked before, once (external/start-checks.ts).
 */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { placeOf } from './events/event-notifications.ts'
import { CODES } from './postgres/error-codes.ts'
import { createNotReadyError } from './postgres/postgres-errors.ts'
import type { StatementTarget } from './postgres/statement-target.ts'
import { askAll } from './postgres/questions.ts'
import { tableOid } from './postgres/sql-parts.ts'
import { OWN_TABLES } from './tables.ts'

export interface DatabaseState {
  /** Whether it accepts no writes. */
  isReadOnly: boolean
  /** Where events are sent (`placeOf`). */
  place: string
  /** What does not work, although the server can serve. */
  impairments: readonly Impairment[]
}

/** For the log. */
export interface Impairment {
  /** A fixed text: two impairments are the same if this is. */
  problem: string
  advice: string
}

/** What does not change while a database is used. */
export interface DatabaseTraits {
  /** Whether DATABASE_URL and DATABASE_LISTEN_URL may call `pg_control_system()`; if not, `place` has only the oids of the tables. */
  isIdentifiable: boolean
  /** Whether the tables are spread over the workers of a Citus cluster. If not, triggers send the events. */
  isDistributed: boolean
}

/** The oid of a table, by its name in a row of `unnestNames`. */
const TABLE = tableOid(sql`name`)

function unnestNames(tables: readonly string[]): SQL {
  return sql`unnest(${makePgArray([...tables])}::text[]) as name`
}

interface Question extends Impairment {
  /** Of its answer in the statement. */
  name: string
  /** Whether the problem is there. */
  asks: SQL<boolean>
}

const READ_ONLY: Question = {
  name: 'isReadOnly',
  asks: sql`current_setting('transaction_read_only') = 'on'`,
  problem: 'the database is read-only: writes get 503',
  advice: 'Is it a standby, or has its operator set default_transaction_read_only?',
}

const QUEUE_HALF_FULL: Question = {
  name: 'isQueueHalfFull',
  // This also removes what all sessions have read, which Postgres itself does only while notifications are sent.
  asks: sql`pg_notification_queue_usage() >= 0.5`,
  problem: 'the NOTIFY queue of Postgres is half full: when it is full, writes get 503',
  advice:
    'A session that listens does not end its transaction. The log of Postgres has its pid: end it with pg_terminate_backend.',
}

/** The bits of `pg_trigger.tgtype` for INSERT, DELETE, UPDATE and TRUNCATE. */
const ALL_CHANGES = sql.raw(String(4 + 8 + 16 + 32))

/** Of a database that is not distributed: its triggers send the events. */
function triggerQuestions(tables: readonly string[]): Question[] {
  return [
    {
      name: 'lacksTriggers',
      asks: sql`exists (
      select from ${unnestNames(tables)} where ${ALL_CHANGES} <> (
        select coalesce(bit_or(tgtype), 0) & ${ALL_CHANGES} from pg_trigger join pg_proc on pg_proc.oid = tgfoid
        where tgrelid = ${TABLE} and proname = 'send_events' and tgenabled in ('O', 'A')
      )
    )`,
      problem: 'triggers are missing or disabled: changes make no events',
      advice:
        'For each table, run: alter table … enable trigger user. If a trigger is missing, create it as the migrations do (in drizzle/).',
    },
    {
      name: 'skipsTriggers',
      asks: sql`current_setting('session_replication_role') = 'replica'`,
      problem: 'session_replication_role is replica: triggers do not run, so changes make no events',
      advice: 'Reset it for this user, or for the database.',
    },
  ]
}

/**
 * @param tables those of the resources
 * @throws what `target` throws; DatabaseServiceError if tables are missing or may not be read: neither is lasting here, as it is for another
 *   statement, since the tables may be made, or the right granted, while the server waits
 */
export async function askState(
  target: StatementTarget,
  tables: readonly string[],
  { isIdentifiable, isDistributed }: DatabaseTraits,
): Promise<DatabaseState> {
  const all = unnestNames([...tables, ...OWN_TABLES])
  const questions = [READ_ONLY, QUEUE_HALF_FULL, ...(isDistributed ? [] : triggerQuestions(tables))]
  const answers = await askAll(target, 'readState', {
    place: placeOf(tables, isIdentifiable),
    /** The tables that do not exist. */
    missing: sql<string | null>`(select string_agg(name, ', ') from ${all} where ${TABLE} is null)`,
    /** Those that this user may not read. */
    hidden: sql<string | null>`(
      select string_agg(name, ', ') from ${all} where not has_table_privilege(${TABLE}, 'select')
    )`,
    ...Object.fromEntries(questions.map(({ name, asks }) => [name, asks])),
  })
  const { place, missing, hidden } = answers
  if (missing !== null) throw createNotReadyError(CODES.UNDEFINED_TABLE, `not found: ${missing}`)
  if (hidden !== null)
    throw createNotReadyError(CODES.INSUFFICIENT_PRIVILEGE, `this user may not read ${hidden}`)
  const byName: Readonly<Record<string, unknown>> = answers
  const found = questions.filter(({ name }) => byName[name] === true)
  const impairments = found.map(({ problem, advice }) => ({ problem, advice }))
  return { isReadOnly: found.includes(READ_ONLY), place, impairments }
}
