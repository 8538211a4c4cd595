/** Durations and times as they are written on the command line. It imports nothing: help texts need it. */

/** For help texts and errors. */
export const EXAMPLE_DURATIONS = '90s, 15m, 24h, 90d'
export const EXAMPLE_DATE = '2099-12-31'

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Reads a duration such as those of EXAMPLE_DURATIONS, or `0`. @returns seconds; null for anything else */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0
  const [, count, unit = ''] = /^(0|[1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  const seconds = UNITS[unit]
  return count === undefined || seconds === undefined ? null : Number(count) * seconds
}

/** Reads a duration from now, a date such as EXAMPLE_DATE (midnight UTC), or an RFC 3339 time. @returns null for anything else */
export function parseTime(text: string, now = new Date()): Date | null {
  const seconds = parseDuration(text)
  if (seconds !== null) return new Date(now.getTime() + seconds * 1_000)
  const [, day] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? []
  const time = new Date(text)
  if (day === undefined || Number.isNaN(time.getTime())) return null
  // Date would read 30 February as 2 March.
  return new Date(day).toISOString().startsWith(day) ? time : null
}
