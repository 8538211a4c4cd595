/**
 * The notifications that carry events: a trigger sends them (`send_events`, in the first migration) or, on Citus, the server that writes
 * (`sendEvents`, which does the same). Each table has a channel of its own, named after its oid, so that servers on different Postgres schemas of one database do not get each other's events.
 */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { isJsonObject, parseExactJsonText } from '../../base/json.ts'
import { databaseIdentity } from '../postgres/identity.ts'
import { tableOid } from '../postgres/sql-parts.ts'
import { fixedStatement, placeholder, type Statement, statementTemplate } from '../postgres/statement.ts'

/** A row as an event describes it: each column by its name, an int64 as digits. */
export type RowState = Readonly<Record<string, string | number | boolean | null>>

/** A row was created, updated or deleted, by this server, another one, or plain SQL. */
export interface RowEvent {
  table: string
  kind: 'created' | 'updated' | 'deleted'
  /** The row as it is now or, if it was deleted, as it was. */
  row: RowState
  /** What is known of the row as it was before an update. */
  before: RowState | null
}

/** The table of a resource, whose events are read. */
export interface EventSource {
  table: string
  /** @returns the row that an event contains; null if it is not valid */
  readRow: (content: Readonly<Record<string, unknown>>) => RowState | null
}

/**
 * Names where the events of tables are sent, as a connection sees it: the channels, and the database in which they are. The tables may be
 * replaced by others of the same name, and a connection may lead to another database than an earlier one.
 * @param isIdentifiable whether the user may ask which database this is
 */
export function placeOf(tables: readonly string[], isIdentifiable: boolean): SQL<string> {
  const oids = tables.map((table) => sql`${tableOid(sql`${table}::text`)}::oid::text`)
  return sql`concat_ws(' ', ${sql.join([...(isIdentifiable ? [databaseIdentity] : []), ...oids], sql`, `)})`
}

/** Listens to the events of tables. */
export function listenTo(tables: readonly string[]): Statement {
  // LISTEN itself takes no expression.
  const commands = tables.map((table) => `execute 'listen pet_store_' || '"${table}"'::regclass::oid;`)
  return fixedStatement('listen', sql.raw(`do $$ begin ${commands.join(' ')} end $$`))
}

const send = statementTemplate(
  'announceChanges',
  sql`
    select count(pg_notify(
      'pet_store_' || quote_ident(event::json ->> 'table')::regclass::oid,
      case when octet_length(event) < 8000 then event else 'reset' end
    ))
    from unnest(${placeholder('events', 'text[]')}) as event`,
  { placeholders: ['events'] },
)

/** Sends events of any tables. */
export function sendEvents(events: readonly RowEvent[]): Statement {
  // Postgres drops duplicates.
  const unique = events.map((event) => JSON.stringify({ id: crypto.randomUUID(), ...event }))
  return send.with({ events: makePgArray(unique) })
}

/** Whether an event must be sent: an update may change nothing. */
export function hasChanged({ row, before }: RowEvent): boolean {
  return before === null || Object.keys(row).some((column) => row[column] !== before[column])
}

/** For a transaction that changes many rows: its triggers send no events (`send_events`). It ends the subscriptions instead. */
export const silenceEvents = fixedStatement(
  'silenceEvents',
  sql`select set_config('pet_store.silent', 'on', true)`,
)

/** Ends all subscriptions of all servers, so that clients refetch what they show. */
export function resetSubscriptions(tables: readonly string[]): Statement {
  const resets = tables.map((table) => `pg_notify('pet_store_' || '"${table}"'::regclass::oid, 'reset')`)
  return fixedStatement('resetSubscriptions', sql.raw(`select ${resets.join(', ')}`))
}

/**
 * Reads a notification, and validates all of it: any role that can connect to the database can send some.
 * @returns null if it is not an event, such as a reset: events may have been missed
 */
export function readEvent(notification: string, sources: readonly EventSource[]): RowEvent | null {
  let content: unknown
  try {
    content = parseExactJsonText(notification)
  } catch {
    return null
  }
  if (!isJsonObject(content)) return null
  const { table, kind, row: rowContent, before: beforeContent } = content
  const source = sources.find((one) => one.table === table)
  if (!source || (kind !== 'created' && kind !== 'updated' && kind !== 'deleted')) return null
  const row = isJsonObject(rowContent) ? source.readRow(rowContent) : null
  if (beforeContent == null) return row && { table: source.table, kind, row, before: null }
  const before = isJsonObject(beforeContent) ? source.readRow(beforeContent) : null
  return row && before && { table: source.table, kind, row, before }
}
