/** Metrics and traces. What they need is loaded only if they are on. */
import type { StatementObserver } from '../db/postgres/statement.ts'
import type { Metrics } from './metrics.ts'
import type { MetricsSettings, TraceSettings } from './settings.ts'
import { createStatementObserver } from './statements.ts'
import type { Tracing } from './tracing.ts'

export interface Telemetry {
  metrics: Metrics | null
  tracing: Tracing | null
  /** Watches the statements of the database. */
  observeStatement: StatementObserver
  /** Sends what is left, and closes the port of the metrics; takes 2 seconds at most. */
  stop(): Promise<void>
}

/**
 * Starts what is on.
 * @param trustedDocuments the texts of the trusted documents
 * @returns null if both are off
 * @throws OperatorError if the port for metrics cannot be used
 */
export async function startTelemetry(
  settings: { metrics: MetricsSettings | null; traces: TraceSettings | null },
  trustedDocuments: Iterable<string>,
): Promise<Telemetry | null> {
  if (!settings.metrics && !settings.traces) return null
  // Closed in reverse order: at the end, or at once if something does not start.
  await using opened = new AsyncDisposableStack()
  const metrics =
    settings.metrics &&
    (await (await import('./metrics.ts')).startMetrics(settings.metrics, trustedDocuments))
  opened.defer(() => metrics?.close())
  const tracing = settings.traces && (await (await import('./tracing.ts')).startTracing(settings.traces))
  opened.defer(() => tracing?.close())
  const resources = opened.move()
  return {
    metrics,
    tracing,
    observeStatement: createStatementObserver(metrics, tracing !== null),
    stop: () => resources.disposeAsync(),
  }
}
