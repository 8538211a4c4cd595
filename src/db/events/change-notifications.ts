/** The notifications that carry events, and how they are received; functions that migrations create write them. */
import { sql } from 'drizzle-orm'
import { isJsonObject, parseExactJsonText } from '../../base/json.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import { Connection } from '../postgres/connection.ts'
import { toDatabaseError } from '../postgres/errors.ts'
import { fixedStatement, type Statement } from '../postgres/statement.ts'
import type { EventReceiver, RowEvent, RowState } from './change-feed.ts'

/** The events of a resource, as triggers or, on Citus, servers send them. */
export interface EventSource {
  channel: string
  /** The function that writes an event as text; a migration creates it. */
  writeFunction: string
  /**
   * @param keys contains its sort keys
   * @param written.namedBy whether its values have the names of columns or of fields
   * @param written.isNew whether it has just been created: if an older server did so, later fields have their default
   * @returns null if it is not a row, or lacks a column or a key
   */
  readRow: (
    row: Readonly<Record<string, unknown>>,
    keys: Readonly<Record<string, unknown>>,
    written: { namedBy: 'column' | 'field'; isNew: boolean },
  ) => RowState | null
}

/** Sent instead of the events of a change to many rows. */
const RESET = 'reset'

/** Ends all subscriptions of all servers, so that clients refetch what they show. */
export function resetSubscriptions({ channel }: Pick<EventSource, 'channel'>): Statement {
  return fixedStatement('resetSubscriptions', sql.raw(`select pg_notify('${channel}', '${RESET}')`), {
    writes: true,
  })
}

/** Milliseconds between heartbeats: a connection whose peer has vanished stays silent, until a statement reaches its time limit. */
const HEARTBEAT_MS = 3_000
const heartbeat = fixedStatement('heartbeat', sql`select`)

export function listenTo(channel: string): Statement {
  return fixedStatement('listen', sql`listen ${sql.identifier(channel)}`)
}

/**
 * Listens for events on its own connection, since a listening session cannot be shared.
 * @param address asked each time that it connects; what it throws is the error of `listen`
 * @param feed receives each event; a lost connection ends all its subscriptions, since events may have been missed
 */
export function createListener(address: () => PostgresAddress, source: EventSource, feed: EventReceiver) {
  /** null: it does not listen. */
  let current: Connection | null = null
  let timer: NodeJS.Timeout | undefined

  /** Stops listening until the next call of `listen`. */
  function disconnect(): void {
    const connection = current
    current = null
    clearTimeout(timer)
    connection?.destroy()
  }

  /** A connection on which it fails is closed. */
  function scheduleHeartbeat(connection: Connection): void {
    if (connection !== current) return
    timer = setTimeout(() => {
      connection.run(heartbeat).then(
        () => scheduleHeartbeat(connection),
        () => undefined,
      )
    }, HEARTBEAT_MS)
  }

  return {
    /** Connects, and listens until the connection is lost. @throws ServiceError DATABASE_UNAVAILABLE */
    async listen() {
      disconnect()
      const onClosed = () => {
        if (connection !== current) return
        disconnect()
        feed.endAll()
      }
      const readEvent = createEventReader(feed, source)
      const connection = new Connection(address(), onClosed, {
        onnotify: (_, payload) => readEvent(payload),
      })
      current = connection
      try {
        await connection.run(listenTo(source.channel))
      } catch (error) {
        throw toDatabaseError(error)
      }
      scheduleHeartbeat(connection)
    },
    disconnect,
  }
}

/** The maximum number of parts of one event. The longest name that the APIs accept takes about 30, and from servers of version 1.0 about 200. */
const MAX_PARTS = 1_000

/**
 * Reads events from the notifications of one connection. A notification holds at most 8,000 bytes, so a row with a long text takes
 * several. The parts of an event arrive in sequence, because one transaction sends them.
 * @param feed receives each event; an unreadable one, such as another version's, ends all its subscriptions
 */
export function createEventReader(
  feed: EventReceiver,
  source: Pick<EventSource, 'readRow'>,
): (notification: string) => void {
  let unfinished = ''
  let texts: string[] = []
  return (notification) => {
    if (notification === RESET) {
      feed.endAll()
      return
    }
    const [, event = '', part, total, text = ''] = /^(\S+) (\d+) (\d+) (.*)$/s.exec(notification) ?? []
    if (event !== unfinished) texts = []
    unfinished = event
    texts.push(text)
    const isNext = part === String(texts.length) && texts.length <= MAX_PARTS
    if (isNext && part !== total) return
    const read = isNext ? readEvent(texts.join(''), source) : null
    unfinished = ''
    if (read) feed.publish(read)
    else feed.endAll()
  }
}

/** Validates everything, since any role that can connect to the database can send notifications. */
function readEvent(json: string, { readRow }: Pick<EventSource, 'readRow'>): RowEvent | null {
  let written: unknown
  try {
    written = parseExactJsonText(json)
  } catch {
    return null
  }
  if (!isJsonObject(written)) return null
  const { kind, states } = written
  if (kind !== 'created' && kind !== 'updated' && kind !== 'deleted') return null
  if (!Array.isArray(states) || states.length === 0 || states.length > 2) return null
  const [row = null, before = null] = states.map((state) => readState(state, written, readRow))
  return row && (states.length === 1 || before) ? { kind, row, before } : null
}

/**
 * Version 1.0, whose servers may run beside this one, writes no row: its values are in the state or, if no filter compares them, in
 * the event, once.
 */
function readState(
  state: unknown,
  event: Readonly<Record<string, unknown>>,
  readRow: EventSource['readRow'],
): RowState | null {
  if (!isJsonObject(state)) return null
  const isNew = event.kind === 'created'
  if (state.row === undefined) return readRow({ ...event, ...state }, state, { namedBy: 'field', isNew })
  return isJsonObject(state.row) ? readRow(state.row, state, { namedBy: 'column', isNew }) : null
}
