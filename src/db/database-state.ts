/**
 * What a database says when the server asks whether it can serve: when it is opened, and later on demand (external/state-watch.ts). What only the operator
 * can mend is asked before, once (external/start-checks.ts).
 */
import { sql } from 'drizzle-orm'
import { placeOf } from './events/event-notifications.ts'
import { CODES } from './postgres/error-codes.ts'
import { createNotReadyError } from './postgres/postgres-errors.ts'
import type { StatementTarget } from './postgres/statement-target.ts'
import { askAll } from './postgres/questions.ts'
import { namedTables } from './postgres/sql-parts.ts'
import { withOwnTables } from './tables.ts'

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

/** What is reported of each problem, with the name of the question that finds it. */
const IMPAIRMENTS = [
  {
    name: 'isReadOnly',
    problem: 'the database is read-only: writes get 503',
    advice: 'Is it a standby, or has its operator set default_transaction_read_only?',
  },
  {
    name: 'isQueueHalfFull',
    problem: 'the NOTIFY queue of Postgres is half full: when it is full, writes get 503',
    advice:
      'A session that listens does not end its transaction. The log of Postgres has its pid: end it with pg_terminate_backend.',
  },
  {
    name: 'lacksTriggers',
    problem: 'triggers are missing or disabled: changes make no events',
    advice:
      'For each table, run: alter table … enable trigger user. If a trigger is missing, create it as the migrations do (in drizzle/).',
  },
  {
    name: 'skipsTriggers',
    problem: 'session_replication_role is replica: triggers do not run, so changes make no events',
    advice: 'Reset it for this user, or for the database.',
  },
] as const

/** The bits of `pg_trigger.tgtype` for INSERT, DELETE, UPDATE and TRUNCATE. */
const ALL_CHANGES = sql.raw(String(4 + 8 + 16 + 32))

/** The triggers that send events. Their `tgenabled` is O, unless somebody has changed it; A: they run whatever session_replication_role is. */
const SENDERS = sql`pg_trigger join pg_proc on pg_proc.oid = tgfoid and proname = 'send_events'`

/** What is asked, by the names of the answers. */
function stateQuestions(tables: readonly string[], { isIdentifiable, isDistributed }: DatabaseTraits) {
  const [all, ofResources] = [namedTables(withOwnTables(tables)), namedTables(tables)]
  const never = sql<boolean>`false`
  return {
    place: placeOf(tables, isIdentifiable),
    /** The tables that do not exist. */
    missing: sql<string | null>`(select string_agg(name, ', ') from ${all} where oid is null)`,
    /** Those that this user may not read. */
    hidden: sql<
      string | null
    >`(select string_agg(name, ', ') from ${all} where not has_table_privilege(oid, 'select'))`,
    isReadOnly: sql<boolean>`current_setting('transaction_read_only') = 'on'`,
    // This also removes what all sessions have read, which Postgres itself does only while notifications are sent.
    isQueueHalfFull: sql<boolean>`pg_notification_queue_usage() >= 0.5`,
    lacksTriggers: isDistributed
      ? never
      : sql<boolean>`exists (
      select from ${ofResources} where ${ALL_CHANGES} <> (
        select coalesce(bit_or(tgtype), 0) & ${ALL_CHANGES} from ${SENDERS}
        where tgrelid = named.oid and tgenabled in ('O', 'A')
      )
    )`,
    skipsTriggers: isDistributed
      ? never
      : sql<boolean>`current_setting('session_replication_role') = 'replica' and exists (
      select from ${SENDERS} join ${ofResources} on tgrelid = named.oid where tgenabled = 'O'
    )`,
  }
}

/**
 * @param tables those of the resources
 * @throws what `target` throws; DatabaseServiceError if tables are missing or may not be read: neither is lasting here, as it is for another
 *   statement, since the tables may be made, or the right granted, while the server waits
 */
export async function askState(
  target: StatementTarget,
  tables: readonly string[],
  traits: DatabaseTraits,
): Promise<DatabaseState> {
  const answers = await askAll(target, 'readState', stateQuestions(tables, traits))
  const { place, missing, hidden } = answers
  if (missing !== null) throw createNotReadyError(CODES.UNDEFINED_TABLE, `not found: ${missing}`)
  if (hidden !== null)
    throw createNotReadyError(CODES.INSUFFICIENT_PRIVILEGE, `this user may not read ${hidden}`)
  const found = IMPAIRMENTS.filter(({ name }) => requireBoolean(answers[name], name))
  const impairments = found.map(({ problem, advice }) => ({ problem, advice }))
  return { isReadOnly: answers.isReadOnly, place, impairments }
}

/** Without this, what a question of ours asks by mistake would count as healthy. */
function requireBoolean(answer: unknown, question: string): boolean {
  if (typeof answer !== 'boolean') throw new Error(`readState: the answer to ${question} is not a boolean`)
  return answer
}
