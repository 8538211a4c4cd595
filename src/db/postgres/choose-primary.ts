import type { Unavailable } from './host-watch.ts'

/** What is known of a host. A standby has no timeline of its own; each promotion begins a new one. */
export type HostReport = { state: 'primary'; timeline: number } | { state: 'standby' } | Unavailable

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

export function describeReport(report: HostReport | null, latest: number): string {
  if (report?.state === 'primary')
    return report.timeline === latest
      ? `a primary, on timeline ${latest}`
      : `an old primary, on timeline ${report.timeline} instead of ${latest}`
  if (report?.state === 'standby') return 'a standby'
  return report?.cause ?? 'not asked yet'
}
