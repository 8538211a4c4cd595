import { AsyncLocalStorage } from 'node:async_hooks'

/** A span in a trace, to which further spans can be added. It exists only for requests that are traced. */
export interface TraceSpan {
  /** The id of the trace: 32 hexadecimal digits. */
  readonly traceId: string
  /** Starts a span below this one. */
  start(name: string, attributes: SpanAttributes, kind?: 'internal' | 'client'): TraceSpan
  set(attributes: SpanAttributes): void
  /** A span that is never ended is never sent. @param error what failed, or its code */
  end(error?: unknown): void
}

export type SpanAttributes = Record<string, string | number>

const scope = new AsyncLocalStorage<readonly TraceSpan[] | undefined>()

/** The spans of the current work: one, or in a batch one for each call that is traced; undefined if nothing is traced. */
export function currentSpans(): readonly TraceSpan[] | undefined {
  return scope.getStore()
}

/** Does work for other spans than the current ones; undefined: untraced. */
export function runInSpans<Result>(spans: readonly TraceSpan[] | undefined, work: () => Result): Result {
  return spans === scope.getStore() ? work() : scope.run(spans, work)
}

/** Does work in its own span, if the request is traced. Work that does not wait is not worth a span, unless it fails. */
export function trace<Result>(name: string, attributes: SpanAttributes, work: () => Result): Result {
  const [parent] = scope.getStore() ?? []
  if (!parent) return work()
  const span = parent.start(name, attributes)
  try {
    const result = scope.run([span], work)
    if (result instanceof Promise) {
      result.then(
        () => span.end(),
        (error: unknown) => span.end(error),
      )
    }
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
