import type { MetricsSettings, TraceSettings } from './settings.ts'
import type { Telemetry } from './telemetry.ts'

interface TelemetrySettings {
  metrics: MetricsSettings | null
  traces: TraceSettings | null
}

/**
 * Starts metrics and traces, and loads what they need only then.
 * @param trustedDocuments the texts of the trusted documents
 * @returns null if both are off
 * @throws OperatorError if the port for metrics cannot be used
 */
export async function startTelemetry(
  { metrics: metricsSettings, traces }: TelemetrySettings,
  trustedDocuments: Iterable<string>,
): Promise<Telemetry | null> {
  if (!metricsSettings && !traces) return null
  // Closed in reverse order: at the end, or at once if something does not start.
  await using opened = new AsyncDisposableStack()
  const { onProblem } = await import('./problems.ts')
  const { createStatementObserver } = await import('./statements.ts')
  const metrics =
    metricsSettings && (await (await import('./metrics.ts')).startMetrics(metricsSettings, trustedDocuments))
  opened.defer(() => metrics?.close())
  const tracing = traces && (await (await import('./tracing.ts')).startTracing(traces))
  opened.defer(() => tracing?.close())
  const resources = opened.move()
  return {
    metrics,
    tracing,
    observeStatement: createStatementObserver(metrics, tracing !== null),
    onProblem,
    stop: () => resources.disposeAsync(),
  }
}
