/** Metrics and traces. What they need is loaded only if they are on. */
import { observeBy } from '../base/observation.ts'
import type { MetricsSettings, TraceSettings } from '../config/telemetry-config.ts'
import { createSpanReader } from './spans.ts'

export type Telemetry = NonNullable<Awaited<ReturnType<typeof startTelemetry>>>

/**
 * Starts what is on.
 * @param trustedDocuments the texts of the trusted documents
 * @returns null if both are off
 * @throws OperatorError if the port for metrics cannot be used
 */
export async function startTelemetry(
  settings: { metrics: MetricsSettings | null; traces: TraceSettings | null },
  trustedDocuments: Iterable<string>,
) {
  if (!settings.metrics && !settings.traces) return null
  // Closed in reverse order: by `stop`, or at once if something does not start.
  await using opened = new AsyncDisposableStack()
  const metrics =
    settings.metrics &&
    (await (await import('./metrics.ts')).startMetrics(settings.metrics, trustedDocuments))
  opened.defer(() => metrics?.close())
  const tracing = settings.traces && (await (await import('./tracing.ts')).startTracing(settings.traces))
  opened.defer(() => tracing?.close())
  const cleanUp = opened.move()
  return {
    metrics,
    tracing,
    /** Records requests, and the statements of the database. */
    observe: observeBy(metrics?.observe, tracing && createSpanReader()),
    /** Sends the remaining spans, and closes the port of the metrics; takes 2 seconds at most. */
    stop: () => cleanUp.disposeAsync(),
  }
}
