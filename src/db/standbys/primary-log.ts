import { hash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { ServiceError } from '../../base/service-error.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import { HostWatch } from '../postgres/host-watch.ts'
import * as wal from './wal-position.ts'
import { databaseIdentity as database } from '../postgres/identity.ts'
import type { Queryable } from '../postgres/pool.ts'
import { fixedStatement, type FollowUp, nameOf, type TextRow } from '../postgres/statement.ts'
import { primaryTimelines } from '../postgres/tables.ts'

/** Milliseconds between two probes, and the minimum if someone waits for one. */
const INTERVAL_MS = 1_000
const MIN_INTERVAL_MS = 2

/** The latest timeline whose row is there, in hexadecimal. */
const recorded = sql`(select to_hex(max(${primaryTimelines.timeline})) from ${primaryTimelines})`

/** The end of the primary's WAL, and whether the row of its timeline exists. */
export const readPrimary = fixedStatement(
  'readPrimary',
  sql`
    select ${wal.endOfWal.timeline}, (${wal.endOfWal.lsn})::text, ${database}, ${recorded}
    from ${wal.endOfWal.from}`,
  { prepare: true },
)

/**
 * What a standby has replayed, without an LSN if it is not a standby, and when it was started. Postgres does not tell an ordinary user
 * which timeline a standby follows, so the row of the primary's timeline does: on an old primary's branch, that row cannot exist.
 */
export const readReplayed = fixedStatement(
  'readReplayed',
  sql`
    select ${recorded}, case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end, ${database},
      extract(epoch from pg_postmaster_start_time())::text`,
  { prepare: true },
)

/** Nothing happens if the row is there. */
export const recordTimeline = fixedStatement(
  'recordTimeline',
  sql`
    insert into ${primaryTimelines} (${nameOf(primaryTimelines.timeline)})
    select ('x' || ${wal.endOfWal.timeline})::bit(32)::integer from ${wal.endOfWal.from}
    on conflict do nothing`,
  { writes: true },
)

/** What the primary is known to have written, from a probe every second and from each write of this server. */
export class PrimaryLog {
  /** Its end, as far as known. */
  end: wal.WalPosition | null = null
  /** The cluster and the database in it; null until the primary has answered. */
  database: string | null = null
  /** The same as 8 characters, for tokens. */
  cluster = ''
  /** Run after a write, on the connection that has committed it. */
  readonly followUp: FollowUp = { statement: wal.readEndOfWal, onRows: ([row]) => this.#record(row) }
  readonly watch: HostWatch<{ state: 'primary'; position: wal.WalPosition }>
  readonly #queryable: Queryable

  /**
   * @param address where the primary is now
   * @param queryable takes statements for the primary
   * @param onEnd called with its end, once a second
   */
  constructor(address: () => PostgresAddress, queryable: Queryable, onEnd: (end: wal.WalPosition) => void) {
    this.#queryable = queryable
    this.watch = new HostWatch({
      address,
      statement: readPrimary,
      toReport: ([row]) => this.#toReport(row),
      onReport: (report) => {
        if (report.state === 'primary') onEnd(report.position)
      },
      intervalOf: () => INTERVAL_MS,
      minInterval: MIN_INTERVAL_MS,
    })
  }

  /** Its end now, or later. @throws ServiceError DATABASE_UNAVAILABLE */
  async probe(): Promise<wal.WalPosition> {
    const report = await this.watch.probe()
    if (report.state === 'primary') return report.position
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: report.cause })
  }

  #toReport(row: TextRow = []) {
    const [, , database = null, recorded] = row
    const position = this.#record(row)
    this.database = database
    this.cluster = hash('sha256', database ?? '', 'base64url').slice(0, 8)
    if (Number.parseInt(recorded ?? '', 16) !== position.timeline)
      this.#queryable.query(recordTimeline).catch(() => undefined)
    return { state: 'primary', position } as const
  }

  #record(row: TextRow = []): wal.WalPosition {
    const position = wal.toPosition(row)
    if (!position) throw new Error('The primary did not report where its WAL ends')
    this.end = wal.laterOf(this.end, position)
    return position
  }
}
