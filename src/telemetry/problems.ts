import { diag, DiagLogLevel } from '@opentelemetry/api'

/** Milliseconds in which the same problem is reported only once. */
const QUIET = 60_000

/** Sets where OpenTelemetry's SDK reports problems, such as a collector that cannot be reached. */
export function onProblem(report: (reason: string) => void): void {
  const reported = new Map<string, number>()
  const once = (...parts: unknown[]) => {
    const reason = parts.map(describe).join(' ').slice(0, 500)
    const now = performance.now()
    if (now - (reported.get(reason) ?? -Infinity) < QUIET) return
    // The SDK's messages are few, but they may contain ids.
    if (reported.size >= 100) reported.clear()
    reported.set(reason, now)
    report(reason)
  }
  const ignore = () => undefined
  const logger = { error: once, warn: once, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

/** The SDK reports an error as JSON, with its stack. */
function describe(part: unknown): string {
  if (part instanceof Error) return part.message
  if (typeof part !== 'string') return ''
  const [, message] = /"message":"((?:[^"\\]|\\.)*)"/.exec(part) ?? []
  return message ?? part
}
