import type { StatementObserver, StatementWatch } from '../db/postgres/statement.ts'
import { currentSpans, type SpanAttributes, type TraceSpan } from '../base/trace-scope.ts'
import type { Metrics } from './metrics.ts'

/** Records each statement as a metric, and as a span in the trace of each request that waits for it. */
export function createStatementObserver(
  metrics: Pick<Metrics, 'recordStatement'> | null,
  isTracing: boolean,
): StatementObserver {
  return ({ name }, callers) => {
    const spans = isTracing ? startSpans(name, callers) : null
    return metrics || spans ? new Watch(name, metrics, spans) : undefined
  }
}

function startSpans(name: string, callers: number): TraceSpan[] | null {
  const parents = currentSpans()
  if (!parents) return null
  const attributes: SpanAttributes = {
    'db.system.name': 'postgresql',
    'db.query.summary': name,
  }
  if (callers > 1) attributes['db.operation.batch.size'] = callers
  return firstOfEachTrace(parents).map((parent) => parent.start(name, attributes, 'client'))
}

/** One request may have several calls in a batch. */
function firstOfEachTrace(spans: readonly TraceSpan[]): readonly TraceSpan[] {
  if (spans.length === 1) return spans
  const traces = new Map<string, TraceSpan>()
  for (const span of spans) if (!traces.has(span.traceId)) traces.set(span.traceId, span)
  return [...traces.values()]
}

class Watch implements StatementWatch {
  readonly #name: string
  readonly #metrics: Pick<Metrics, 'recordStatement'> | null
  readonly #spans: TraceSpan[] | null
  readonly #queuedAt = performance.now()
  #sentAt: number | null = null

  constructor(name: string, metrics: Pick<Metrics, 'recordStatement'> | null, spans: TraceSpan[] | null) {
    this.#name = name
    this.#metrics = metrics
    this.#spans = spans
  }

  onSent(): void {
    this.#sentAt = performance.now()
  }

  onEnded(error: Error | null): void {
    const now = performance.now()
    if (this.#sentAt !== null) this.#metrics?.recordStatement(this.#name, (now - this.#sentAt) / 1e3, error)
    for (const span of this.#spans ?? []) {
      span.set({ 'petstore.wait_ms': Math.round((this.#sentAt ?? now) - this.#queuedAt) })
      span.end(error ?? undefined)
    }
  }
}
