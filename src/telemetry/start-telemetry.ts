/** Metrics and traces. What they need is loaded only if they are on. */
import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { ServiceError } from '../base/service-error.ts'
import { DatabaseError } from '../db/postgres/postgres-errors.ts'
import type { StatementObserver } from '../db/postgres/statement.ts'
import type { Metrics } from './metrics.ts'
import type { MetricsSettings, TraceSettings } from '../config/telemetry-config.ts'

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
    /** Watches the statements of the database. */
    observeStatement: createStatementObserver(metrics),
    /** Sends the remaining spans, and closes the port of the metrics; takes 2 seconds at most. */
    stop: () => cleanUp.disposeAsync(),
  }
}

/** Records each statement as a metric and, if its caller is traced, as a span. */
function createStatementObserver(metrics: Metrics | null): StatementObserver {
  return ({ name }, callers) => {
    const span = trace.getActiveSpan() ? startSpan(name, callers) : null
    if (!metrics && !span) return undefined
    const queuedAt = performance.now()
    let sentAt: number | null = null
    return {
      onSent() {
        sentAt = performance.now()
      },
      onEnded(error) {
        const now = performance.now()
        const errorType = error && errorTypeOf(error)
        if (sentAt !== null) metrics?.recordStatement(name, (now - sentAt) / 1e3, errorType)
        span?.setAttribute('petstore.wait_ms', Math.round((sentAt ?? now) - queuedAt))
        // Without the message, which may contain a client's data.
        if (errorType !== null)
          span?.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR })
        span?.end()
      },
    }
  }
}

function startSpan(name: string, callers: number): Span {
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.summary': name,
    ...(callers > 1 && { 'db.operation.batch.size': callers }),
  }
  return trace.getTracer('pet-store').startSpan(name, { kind: SpanKind.CLIENT, attributes })
}

/** What failed: a code from the catalogue, or an SQLSTATE, so that there are few of them. */
function errorTypeOf(error: Error): string {
  return error instanceof ServiceError || error instanceof DatabaseError ? error.code : 'INTERNAL'
}
