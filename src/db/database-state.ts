/**
 * What a database says when the server asks whether it can serve: when it is opened, and later on demand (external/state-watch.ts). What only the operator
 * can mend is asked before, once (external/start-checks.ts).
 */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { placeOf } from './events/event-notifications.ts'
import { CODES } from './postgres/error-codes.ts'
import { DatabaseServiceError } from './postgres/postgres-errors.ts'
import type { StatementTarget } from './postgres/statement-target.ts'
import { type AnswersTo, askAll } from './postgres/questions.ts'
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

const CONDITIONS = {
  isReadOnly: sql<boolean>`current_setting('transaction_read_only') = 'on'`,
  // This also removes what all sessions have read, which Postgres itself does only while notifications are sent.
  isQueueHalfFull: sql<boolean>`pg_notification_queue_usage() >= 0.5`,
}

/** The bits of `pg_trigger.tgtype` for INSERT, DELETE, UPDATE and TRUNCATE. */
const ALL_CHANGES = sql.raw(String(4 + 8 + 16 + 32))

/** Of a database that is not distributed: its triggers send the events. */
function triggerConditions(tables: readonly string[]) {
  return {
    lacksTriggers: sql<boolean>`exists (
      select from ${unnestNames(tables)} where ${ALL_CHANGES} <> (
        select coalesce(bit_or(tgtype), 0) & ${ALL_CHANGES} from pg_trigger join pg_proc on pg_proc.oid = tgfoid
        where tgrelid = ${TABLE} and proname = 'send_events' and tgenabled in ('O', 'A')
      )
    )`,
    skipsTriggers: sql<boolean>`current_setting('session_replication_role') = 'replica'`,
  }
}

function stateQuestions(tables: readonly string[], { isIdentifiable, isDistributed }: DatabaseTraits) {
  const all = unnestNames([...tables, ...OWN_TABLES])
  const questions = {
    place: placeOf(tables, isIdentifiable),
    /** The tables that do not exist. */
    missing: sql<string | null>`(select string_agg(name, ', ') from ${all} where ${TABLE} is null)`,
    /** Those that this user may not read. */
    hidden: sql<string | null>`(
      select string_agg(name, ', ') from ${all} where not has_table_privilege(${TABLE}, 'select')
    )`,
    ...CONDITIONS,
  }
  return isDistributed ? questions : { ...questions, ...triggerConditions(tables) }
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
  return toState(await askAll(target, 'readState', stateQuestions(tables, traits)))
}

type Conditions = AnswersTo<typeof CONDITIONS & ReturnType<typeof triggerConditions>>

/** Each is there if the condition of its name holds. */
const IMPAIRMENTS: Readonly<Record<keyof Conditions, Impairment>> = {
  isReadOnly: {
    problem: 'the database is read-only: writes get 503',
    advice: 'Is it a standby, or has its operator set default_transaction_read_only?',
  },
  isQueueHalfFull: {
    problem: 'the NOTIFY queue of Postgres is half full: when it is full, writes get 503',
    advice:
      'A session that listens does not end its transaction. The log of Postgres has its pid: end it with pg_terminate_backend.',
  },
  lacksTriggers: {
    problem: 'triggers are missing or disabled: changes make no events',
    advice:
      'For each table, run: alter table … enable trigger user. If a trigger is missing, create it as the migrations do (in drizzle/).',
  },
  skipsTriggers: {
    problem: 'session_replication_role is replica: triggers do not run, so changes make no events',
    advice: 'Reset it for this user, or for the database.',
  },
}

/** @throws DatabaseServiceError if the server cannot serve */
function toState({
  place,
  missing,
  hidden,
  ...conditions
}: AnswersTo<ReturnType<typeof stateQuestions>>): DatabaseState {
  if (missing !== null)
    throw new DatabaseServiceError(CODES.UNDEFINED_TABLE, {
      kind: 'passing',
      reason: `not found: ${missing}`,
    })
  if (hidden !== null) {
    const reason = `this user may not read ${hidden}`
    throw new DatabaseServiceError(CODES.INSUFFICIENT_PRIVILEGE, { kind: 'passing', reason })
  }
  const found: Readonly<Record<string, boolean>> = conditions
  return {
    isReadOnly: conditions.isReadOnly,
    place,
    impairments: Object.entries(IMPAIRMENTS).flatMap(([name, impairment]) =>
      found[name] ? [impairment] : [],
    ),
  }
}
