import { sql } from 'drizzle-orm'
import { splitHosts } from '../../database-url.ts'
import { ServiceError } from '../../errors.ts'
import { HostWatch, type Unavailable } from './host-watch.ts'
import { buildStatement, type TextRow } from './statement.ts'

/** Milliseconds between probes of a host while the primary is known, and while it is not. */
const INTERVAL = 1_000
const SEARCH_INTERVAL = 250

/** What is known of a host. A standby has no timeline of its own; each promotion begins a new one. */
export type HostReport = { state: 'primary'; timeline: number } | { state: 'standby' } | Unavailable

/** The timeline of a primary, in hexadecimal; null on a standby, where the functions would fail. */
const readTimeline = buildStatement(
  'readTimeline',
  sql`select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end`,
  { prepare: false },
).with({})

/** Which of the hosts in DATABASE_URL to use. */
export interface Primary {
  /** Begins to look for it; resolves when every host has been asked. */
  start(): Promise<void>
  /** A URL with one host. @throws ServiceError DATABASE_UNAVAILABLE, at once, if no primary is known */
  url(): string
  /** Looks whether it still is the primary. */
  check(): void
  close(): void
}

/**
 * Follows the primary through failovers. The driver cannot: postgres.js 3.4.9 takes a standby for one, or waits for ever.
 * @param url with one host, which is never asked, or with several
 * @param onChange called when the primary has changed or was lost: connections to the old one must not be used any more
 */
export function followPrimary(url: string, onChange: () => void): Primary {
  const urls = splitHosts(url)
  if (urls.length > 1) return new WatchedPrimary(urls, onChange)
  return { start: () => Promise.resolve(), url: () => url, check: () => undefined, close: () => undefined }
}

class WatchedPrimary implements Primary {
  readonly #urls: readonly string[]
  readonly #watches: readonly HostWatch<HostReport>[]
  readonly #onChange: () => void
  readonly #allAsked = Promise.withResolvers<undefined>()
  /** The index of its host. */
  #current: number | null = null
  /** The latest timeline that a primary was seen on. */
  #latest = 0

  constructor(urls: readonly string[], onChange: () => void) {
    this.#urls = urls.map(withoutSessionAttributes)
    this.#onChange = onChange
    this.#watches = this.#urls.map(
      (url) =>
        new HostWatch({
          address: () => url,
          statement: readTimeline,
          toReport: toHostReport,
          onReport: () => this.#choose(),
          intervalOf: () => (this.#current === null ? SEARCH_INTERVAL : INTERVAL),
        }),
    )
  }

  start(): Promise<void> {
    for (const watch of this.#watches) watch.hurry()
    return this.#allAsked.promise
  }

  url(): string {
    const url = this.#current === null ? undefined : this.#urls[this.#current]
    if (url !== undefined) return url
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: this.#describe() })
  }

  check(): void {
    if (this.#current !== null) for (const watch of this.#watches) watch.hurry()
  }

  close(): void {
    for (const watch of this.#watches) watch.close()
    this.#allAsked.resolve(undefined)
  }

  #choose(): void {
    const reports = this.#watches.map(({ report }) => report)
    this.#latest = latestTimeline(reports, this.#latest)
    const chosen = choosePrimary(reports, { current: this.#current, latest: this.#latest })
    if (chosen !== this.#current) {
      const hadPrimary = this.#current !== null
      this.#current = chosen
      if (hadPrimary) this.#onChange()
    }
    if (!reports.includes(null)) this.#allAsked.resolve(undefined)
  }

  /** What is wrong with each host. */
  #describe(): string {
    const descriptions = this.#watches.map(({ report }, index) => {
      const { host } = new URL(this.#urls[index] ?? '')
      return `${host}: ${describeReport(report, this.#latest)}`
    })
    return `no primary (${descriptions.join('; ')})`
  }
}

export function toHostReport([row]: TextRow[]): HostReport {
  const timeline = row?.[0]
  return timeline == null
    ? { state: 'standby' }
    : { state: 'primary', timeline: Number.parseInt(timeline, 16) }
}

/** The latest timeline of those seen before and of the primaries. */
export function latestTimeline(reports: readonly (HostReport | null)[], before: number): number {
  return Math.max(before, ...reports.map((report) => (report?.state === 'primary' ? report.timeline : 0)))
}

/**
 * Chooses the primary on the latest timeline: one on an earlier timeline is an old primary that has missed a failover.
 * @param reports what is known of each host; null if it has not been asked yet, because it may be on a later timeline
 * @returns the index of the host; null if there is none
 */
export function choosePrimary(
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
    return `an old primary, on timeline ${report.timeline} instead of ${latest}`
  if (report?.state === 'standby') return 'a standby'
  return report?.cause ?? 'not asked yet'
}

/** The driver would apply them to each host by itself. */
function withoutSessionAttributes(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('target_session_attrs')
  return url.href
}
