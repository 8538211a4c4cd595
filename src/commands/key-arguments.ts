/** Reads the arguments and options of the commands for API keys. It loads no command: help texts need it. */
import { UsageError } from '../base/operator-error.ts'
import { isKeyName } from '../config/api-keys-config.ts'
import type { Expiry } from '../db/stored-keys.ts'
import { containsSecret } from '../keys/key-secret.ts'

/** For help texts and errors. */
export const EXAMPLE_DURATIONS = '90s, 15m, 24h, 90d'
export const EXAMPLE_DATE = '2099-12-31'

/** Reads the name of a key. @throws UsageError also for a secret: names are printed and logged */
export function parseKeyName(text: string): string {
  if (containsSecret(text)) throw new UsageError('<name> must be the name of a key, not its secret.')
  if (isKeyName(text)) return text
  throw new UsageError('<name> must be 1 to 64 letters, digits, dots, dashes or underscores.')
}

export interface Duration {
  /** As it was written. */
  text: string
  seconds: number
}

/** Reads `--overlap`: a duration such as those of EXAMPLE_DURATIONS, or `0`. @throws UsageError */
export function parseOverlap(text: string): Duration {
  const seconds = parseDuration(text)
  if (seconds === null) throw new UsageError(`--overlap must be 0, or a duration: ${EXAMPLE_DURATIONS}.`)
  return { text, seconds }
}

/** Reads `--expires`: a duration from now, a date such as EXAMPLE_DATE (midnight UTC), or an RFC 3339 time. @throws UsageError */
export function parseExpiry(text: string): Expiry {
  const after = parseDuration(text)
  if (after !== null && after > 0) return { after }
  const time = parseTime(text)
  // No RFC 3339 time has a later year.
  if (time !== null && time.getTime() > Date.now() && time.getUTCFullYear() <= 9999)
    return { at: time.toISOString() }
  throw new UsageError(
    `--expires must be a duration (${EXAMPLE_DURATIONS}) or a future date such as ${EXAMPLE_DATE}, not after 9999-12-31.`,
  )
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** @returns seconds; null: it is no duration */
function parseDuration(text: string): number | null {
  if (text === '0') return 0
  const [, count, unit = ''] = /^(0|[1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  const seconds = UNITS[unit]
  return count === undefined || seconds === undefined ? null : Number(count) * seconds
}

/** @returns null: it is neither a date nor a time */
function parseTime(text: string): Date | null {
  const [, day] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? []
  const time = new Date(text)
  if (day === undefined || Number.isNaN(time.getTime())) return null
  // Date would read 30 February as 2 March.
  return new Date(day).toISOString().startsWith(day) ? time : null
}
