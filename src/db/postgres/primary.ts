import { sql } from 'drizzle-orm'
import { splitHosts } from '../../config/database-config.ts'
import { ServiceError } from '../../base/errors.ts'
import { HostWatch, type Unavailable } from './host-watch.ts'
import { fixedStatement, type TextRow } from './statement.ts'

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
export type HostReport = { state: 'primary'; timeline: number } | { state: 'standby' } | Unavailable

/**
 * Which of the hosts in a URL to use, through failovers. The driver cannot follow them: postgres.js 3.4.9 mistakes a standby for the
 * primary, or waits forever. A single host is never asked.
 * @param url with one host or several
 * @param onChange called when the primary has changed or was lost: connections to the old one must not be used any more
 */
export function createPrimary(url: string, onChange: () => void) {
  const hosts = splitHosts(url)
  const isSingle = hosts.length === 1
  const urls = isSingle ? hosts : hosts.map(withoutSessionAttributes)
  const watches = (isSingle ? [] : urls).map(
    (url) =>
      new HostWatch({
        address: () => url,
        statement: readTimeline,
        toReport: toHostReport,
        onReport: choose,
        intervalOf: () => (current === null ? SEARCH_INTERVAL_MS : INTERVAL_MS),
      }),
  )
  /** The index of its host. */
  let current = isSingle ? 0 : null
  /** The latest timeline that a primary was seen on. */
  let latest = 0
  let onSwitch: (change: PrimaryChange) => void = () => undefined
  let hadPrimary = false

  function choose(): void {
    const reports = watches.map(({ report }) => report)
    latest = latestTimeline(reports, latest)
    const chosen = choosePrimary(reports, { current, latest })
    if (chosen !== current) switchTo(chosen)
  }

  function switchTo(chosen: number | null): void {
    const isLost = current !== null
    current = chosen
    if (isLost) {
      onSwitch({ lost: describeHosts() })
      onChange()
    }
    if (chosen === null) return
    if (hadPrimary) onSwitch({ used: hostOf(chosen) })
    hadPrimary = true
  }

  function describeHosts(): string {
    return watches
      .map(({ report }, index) => `${hostOf(index)}: ${describeReport(report, latest)}`)
      .join('; ')
  }

  /** Without the user and the password. */
  function hostOf(index: number): string {
    return new URL(urls[index] ?? '').host
  }

  return {
    /**
     * Starts looking for it; resolves when every host has been asked.
     * @param listener called for each change once a primary was found
     */
    async start(listener: (change: PrimaryChange) => void = () => undefined): Promise<void> {
      onSwitch = listener
      await Promise.all(watches.map((watch) => watch.probe()))
    },
    /** A URL with one host. @throws ServiceError DATABASE_UNAVAILABLE, at once, if no primary is known */
    url(): string {
      const url = current === null ? undefined : urls[current]
      if (url !== undefined) return url
      throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: `no primary (${describeHosts()})` })
    },
    /** Checks whether it is still the primary. */
    check() {
      if (current !== null) for (const watch of watches) watch.probeSoon()
    },
    close() {
      for (const watch of watches) watch.close()
    },
  }
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
    return report.timeline === latest
      ? `a primary, on timeline ${latest}`
      : `an old primary, on timeline ${report.timeline} instead of ${latest}`
  if (report?.state === 'standby') return 'a standby'
  return report?.cause ?? 'not asked yet'
}

export function toHostReport([row]: TextRow[]): HostReport {
  const timeline = row?.[0]
  return timeline == null
    ? { state: 'standby' }
    : { state: 'primary', timeline: Number.parseInt(timeline, 16) }
}

/** The driver would apply them to each host by itself. */
function withoutSessionAttributes(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('target_session_attrs')
  return url.href
}
