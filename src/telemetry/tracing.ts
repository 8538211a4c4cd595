import { setTimeout } from 'node:timers/promises'
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions'
import { ServiceError } from '../base/errors.ts'
import type { SpanAttributes, TraceSpan } from '../base/trace-scope.ts'
import { errorTypeOf } from './attributes.ts'
import { createResource } from './resource.ts'
import type { TraceSettings } from './settings.ts'
import type { TraceHeaders, Tracing } from './telemetry.ts'

/** Milliseconds that sending the last spans may take when the server stops. */
const LAST_EXPORT = 2_000

export interface RunningTracing extends Tracing {
  /** Sends the spans that wait. */
  close(): Promise<void>
}

export async function startTracing(settings: TraceSettings): Promise<RunningTracing> {
  const { delay, queue, size } = settings.batch
  const processor = new BatchSpanProcessor({
    exporter: await createExporter(settings),
    scheduledDelayMillis: delay,
    maxQueueSize: queue,
    maxExportBatchSize: size,
  })
  const provider = new TracerProvider({
    resource: createResource(),
    sampler: createSampler(settings),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('pet-store')
  const propagator = new W3CTraceContextPropagator()
  return {
    startRequest(headers, describe) {
      const parent = readParent(propagator, headers)
      // The SDK would make two ids and a span even for a request that it does not sample.
      if (parent === ROOT_CONTEXT && Math.random() >= settings.ratio) return null
      const { name, attributes } = describe()
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
      return span.isRecording() ? new SdkSpan(tracer, span) : null
    },
    async close() {
      const sent = new AbortController()
      const timeout = setTimeout(LAST_EXPORT, undefined, { signal: sent.signal })
      await Promise.race([provider.shutdown(), timeout]).catch(() => undefined)
      sent.abort()
      await timeout.catch(() => undefined)
    },
  }
}

function readParent(propagator: W3CTraceContextPropagator, headers: TraceHeaders): Context {
  if (headers.traceparent === undefined) return ROOT_CONTEXT
  return propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
}

/** Headers, time limits and so on are read by the exporter itself, from OTEL_EXPORTER_OTLP_*. */
async function createExporter({ url, protocol }: TraceSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'))
  return new OTLPTraceExporter({ url })
}

/** Decides about requests in a client's trace; all others that reach it are already sampled. */
function createSampler({ ratio, isParentBased }: TraceSettings): Sampler {
  const root = new AlwaysOnSampler()
  if (isParentBased) return new ParentBasedSampler({ root })
  const sampler = new TraceIdRatioBasedSampler(ratio)
  return new ParentBasedSampler({ root, remoteParentSampled: sampler, remoteParentNotSampled: sampler })
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT }

class SdkSpan implements TraceSpan {
  readonly #tracer: Tracer
  readonly #span: Span

  constructor(tracer: Tracer, span: Span) {
    this.#tracer = tracer
    this.#span = span
  }

  get traceId(): string {
    return this.#span.spanContext().traceId
  }

  start(name: string, attributes: SpanAttributes, kind: 'internal' | 'client' = 'internal'): TraceSpan {
    const context = trace.setSpan(ROOT_CONTEXT, this.#span)
    return new SdkSpan(this.#tracer, this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, context))
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes)
  }

  end(error?: unknown): void {
    if (error !== undefined) {
      // Without the message, which may contain a client's data.
      this.#span.setAttribute(ATTR_ERROR_TYPE, typeof error === 'string' ? error : errorTypeOf(error))
      if (isFault(error)) this.#span.setStatus({ code: SpanStatusCode.ERROR })
    }
    this.#span.end()
  }
}

/** A client's mistake is not a server error (semantic conventions, HTTP). */
function isFault(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.status >= 500
}
