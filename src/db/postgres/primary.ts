import { sql } from 'drizzle-orm'
import { nameHost, type PostgresAddress } from '../../config/database-url.ts'
import { ServiceError } from '../../base/service-error.ts'
import { HostWatch, type Unavailable } from './host-watch.ts'
import { fixedStatement, requireValue, type TextRow } from './statement.ts'

/** Milliseconds between probes of a host while the primary is known, and while it is not. */
const INTERVAL_MS = 1_000
const SEARCH_INTERVAL_MS = 250

/** The timeline of a primary, in hexadecimal; null on a standby, where the functions would fail. */
const readTimeline = fixedStatement(
  'readTimeline',
  sql`select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end`,
)

/** The primary was lost, with what is known of each host; or found again, named by host and port. */
export type PrimaryChange = { lost: string } | { used: string }

/** What is known of a host. A standby has no timeline of its own; each promotion begins a new one. */
type HostReport = { state: 'primary'; timeline: number } | { state: 'standby' } | Unavailable

/**
 * Which of several hosts to use, through failovers. The driver cannot follow them: postgres.js 3.4.9 mistakes a standby for the primary,
 * or waits forever. A single host is never asked.
 */
export class Primary {
  readonly #hosts: readonly PostgresAddress[]
  readonly #onLeave: () => void
  /** None for a single host. */
  readonly #watches: readonly HostWatch<HostReport>[]
  /** The index of its host. */
  #current: number | null
  /** The latest timeline that a primary was seen on. */
  #latest = 0
  #hadPrimary = false
  #listener: (change: PrimaryChange) => void = () => undefined

  /**
   * @param onLeave called when the primary has changed or was lost: connections to the old one must not be used any more
   */
  constructor(hosts: readonly PostgresAddress[], onLeave: () => void) {
    const isSingle = hosts.length === 1
    this.#hosts = hosts
    this.#current = isSingle ? 0 : null
    this.#onLeave = onLeave
    this.#watches = (isSingle ? [] : hosts).map(
      (host) =>
        new HostWatch({
          address: () => host,
          statement: readTimeline,
          toReport: toHostReport,
          onReport: () => this.#choose(),
          intervalOf: () => (this.#current === null ? SEARCH_INTERVAL_MS : INTERVAL_MS),
        }),
    )
  }

  /**
   * Starts looking for it; resolves when every host has been asked.
   * @param listener called for each change once a primary was found
   */
  async start(listener: (change: PrimaryChange) => void = () => undefined): Promise<void> {
    this.#listener = listener
    await Promise.all(this.#watches.map((watch) => watch.probe()))
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE, at once, if no primary is known */
  address(): PostgresAddress {
    const host = this.#current === null ? undefined : this.#hosts[this.#current]
    if (host !== undefined) return host
    const cause = `no primary (${this.#describeHosts()})`
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause })
  }

  /** Checks whether it is still the primary. */
  check(): void {
    if (this.#current !== null) for (const watch of this.#watches) watch.probeSoon()
  }

  close(): void {
    for (const watch of this.#watches) watch.close()
  }

  #choose(): void {
    const reports = this.#watches.map(({ report }) => report)
    this.#latest = latestTimeline(reports, this.#latest)
    const chosen = choosePrimary(reports, { current: this.#current, latest: this.#latest })
    if (chosen !== this.#current) this.#switchTo(chosen)
  }

  #switchTo(chosen: number | null): void {
    const isLost = this.#current !== null
    this.#current = chosen
    if (isLost) {
      this.#listener({ lost: this.#describeHosts() })
      this.#onLeave()
    }
    if (chosen === null) return
    if (this.#hadPrimary) this.#listener({ used: this.#hostOf(chosen) })
    this.#hadPrimary = true
  }

  #describeHosts(): string {
    const describe = ({ report }: HostWatch<HostReport>, index: number) =>
      `${this.#hostOf(index)}: ${describeReport(report, this.#latest)}`
    return this.#watches.map(describe).join('; ')
  }

  #hostOf(index: number): string {
    return nameHost(requireValue(this.#hosts[index]))
  }
}

/** The latest timeline of those seen before and of the primaries. */
function latestTimeline(reports: readonly (HostReport | null)[], before: number): number {
  return Math.max(before, ...reports.map((report) => (report?.state === 'primary' ? report.timeline : 0)))
}

/**
 * Chooses the primary on the latest timeline: one on an earlier timeline is an old primary that has missed a failover.
 * @param reports what is known of each host; null if it has not been asked yet, because it may be on a later timeline
 * @returns the index of the host; null if there is none
 */
function choosePrimary(
  reports: readonly (HostReport | null)[],
  { current, latest }: { current: number | null; latest: number },
): number | null {
  if (reports.includes(null)) return current
  const isPrimary = (report: HostReport | null | undefined) =>
    report?.state === 'primary' && report.timeline === latest
  if (current !== null && isPrimary(reports[current])) return current
  const index = reports.findIndex(isPrimary)
  return index < 0 ? null : index
}

function describeReport(report: HostReport | null, latest: number): string {
  if (report?.state === 'primary')
    return report.timeline === latest
      ? `a primary, on timeline ${latest}`
      : `an old primary, on timeline ${report.timeline} instead of ${latest}`
  if (report?.state === 'standby') return 'a standby'
  return report?.cause ?? 'not asked yet'
}

function toHostReport([row]: TextRow[]): HostReport {
  const timeline = row?.[0]
  return timeline == null
    ? { state: 'standby' }
    : { state: 'primary', timeline: Number.parseInt(timeline, 16) }
}
