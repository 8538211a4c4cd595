/** The notifications that carry events: a trigger writes them or, on Citus, the server that changes a row; every server reads them. */
import { sql } from 'drizzle-orm'
import { isJsonObject, parseExactJsonText } from '../../base/json.ts'
import { buildStatement, fixedStatement, parameter } from '../postgres/statement.ts'
import type { EventReceiver, RowChange, RowEvent, RowState } from './row-event.ts'

/** The table of a resource, whose events are read. */
export interface EventSource {
  table: string
  /** @returns the row that an event contains; null if it is none */
  readRow: (written: Readonly<Record<string, unknown>>) => RowState | null
}

/** All tables share one channel. The function send_events, which a migration creates, writes to it, too. */
const CHANNEL = 'pet_store_events'
/** Sent instead of the events of a change to many rows. */
const RESET = 'reset'

export const listen = fixedStatement('listen', sql`listen ${sql.identifier(CHANNEL)}`)

/** Ends all subscriptions of all servers, so that clients refetch what they show. */
export const resetSubscriptions = fixedStatement(
  'resetSubscriptions',
  sql.raw(`select pg_notify('${CHANNEL}', '${RESET}')`),
  { writes: true },
)

/** Sends notifications, in order. */
export const notify = buildStatement<'notifications'>(
  'announceChanges',
  sql`
    select count(pg_notify(${sql.raw(`'${CHANNEL}'`)}, notification))
    from unnest(${parameter('notifications', 'text[]')}) as notification`,
  { writes: true },
)

/** Bytes of the longest event in one notification, of which Postgres takes 8,000. */
const MAX_BYTES = 7_000
/** Bytes in each part of a longer event: 7,000 in base64. */
const PART_BYTES = 5_250
/**
 * The longest event that the APIs can cause has 151: two states of a row whose name is 64 KiB of control characters, six bytes each in
 * JSON. Any role that may connect can send notifications, so no more are read than that.
 */
const MAX_PARTS = 160
/** The characters of an event beside its texts. Each value costs time, and an event has few. */
const MAX_STRUCTURE = 10_000
const JSON_TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"/gs

/** The notifications of an event, as the trigger writes them. */
export function toNotifications(change: RowChange): string[] {
  // Postgres drops duplicates.
  const id = crypto.randomUUID()
  const event = Buffer.from(JSON.stringify(change))
  if (event.length <= MAX_BYTES) return [`${id} 1 1 ${event.toString()}`]
  const total = Math.ceil(event.length / PART_BYTES)
  return Array.from({ length: total }, (_, index) => {
    const part = event.subarray(index * PART_BYTES, (index + 1) * PART_BYTES)
    return `${id} ${index + 1} ${total} ${part.toString('base64')}`
  })
}

/**
 * Reads events from the notifications of one connection. The parts of an event arrive in sequence, because one transaction sends them.
 * @param sources events of other tables, which a later version may have, are skipped
 * @param feed receives each event; anything else, such as a reset, ends all its subscriptions
 */
export function createEventReader(
  feed: EventReceiver,
  sources: readonly EventSource[],
): (notification: string) => void {
  const readers = new Map(sources.map(({ table, readRow }) => [table, readRow]))
  let unfinished: string | undefined
  let parts: string[] = []

  return (notification) => {
    const [, event, part, total, text = ''] = /^(\S+) (\d+) (\d+) (.*)$/s.exec(notification) ?? []
    if (event !== unfinished) parts = []
    unfinished = event
    parts.push(text)
    const isNext = part === String(parts.length) && Number(total) <= MAX_PARTS
    if (isNext && part !== total) return
    const read = isNext ? readEvent(total === '1' ? text : decode(parts), readers) : null
    unfinished = undefined
    parts = []
    if (read === null) feed.endAll()
    else if (read !== 'skipped') feed.publish(read)
  }
}

function decode(parts: readonly string[]): string {
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))).toString()
}

/** Validates everything, since any role that can connect to the database can send notifications. */
function readEvent(
  json: string,
  readers: ReadonlyMap<string, EventSource['readRow']>,
): RowEvent | 'skipped' | null {
  if (json.length > MAX_STRUCTURE && json.replaceAll(JSON_TEXTS, '').length > MAX_STRUCTURE) return null
  let written: unknown
  try {
    written = parseExactJsonText(json)
  } catch {
    return null
  }
  if (!isJsonObject(written)) return null
  const { table, kind, row: writtenRow, before: writtenBefore } = written
  if (typeof table !== 'string') return null
  const readRow = readers.get(table)
  if (!readRow) return 'skipped'
  if (kind !== 'created' && kind !== 'updated' && kind !== 'deleted') return null
  const row = isJsonObject(writtenRow) ? readRow(writtenRow) : null
  if (writtenBefore == null) return row && { table, kind, row, before: null }
  const before = isJsonObject(writtenBefore) ? readRow(writtenBefore) : null
  return row && before && { table, kind, row, before }
}
