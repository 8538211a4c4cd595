import {
  defaultTextMapGetter,
  diag,
  DiagLogLevel,
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
import { waitAtMost } from '../base/wait-at-most.ts'
import { ServiceError } from '../base/service-error.ts'
import type { SpanAttributes, TraceSpan } from '../base/trace-scope.ts'
import { createResource, errorTypeOf } from './attributes.ts'
import type { TraceSettings } from '../config/telemetry-config.ts'

/** The time that sending the last spans may take when the server stops. */
const LAST_EXPORT_MS = 2_000

export type Tracing = Awaited<ReturnType<typeof startTracing>>

export interface RequestSpan {
  name: string
  attributes: SpanAttributes
}

export async function startTracing(settings: TraceSettings) {
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
    /**
     * Starts the span of a request.
     * @param headers may contain the client's traceparent and tracestate
     * @param describe called only if the request may be sampled
     * @returns null if the request is not sampled
     */
    startRequest(
      headers: Readonly<Record<string, string | string[] | undefined>>,
      describe: () => RequestSpan,
    ): TraceSpan | null {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      // The SDK would make two ids and a span even for a request that it does not sample.
      if (parent === ROOT_CONTEXT && Math.random() >= settings.ratio) return null
      const { name, attributes } = describe()
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
      return span.isRecording() ? toTraceSpan(tracer, span) : null
    },
    /** Sets where to report problems, such as a collector that cannot be reached. */
    onProblem,
    /** Sends the spans that wait, for 2 seconds at most. */
    async close() {
      await waitAtMost(LAST_EXPORT_MS, provider.shutdown()).catch(() => undefined)
    },
  }
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

function toTraceSpan(tracer: Tracer, span: Span): TraceSpan {
  return {
    traceId: span.spanContext().traceId,
    start(name, attributes, kind = 'internal') {
      const context = trace.setSpan(ROOT_CONTEXT, span)
      return toTraceSpan(tracer, tracer.startSpan(name, { kind: KINDS[kind], attributes }, context))
    },
    set(attributes) {
      span.setAttributes(attributes)
    },
    end(error) {
      if (error !== undefined) {
        // Without the message, which may contain a client's data.
        span.setAttribute('error.type', typeof error === 'string' ? error : errorTypeOf(error))
        // A client's mistake is not a server error (semantic conventions, HTTP).
        const isFault = !(error instanceof ServiceError) || error.status >= 500
        if (isFault) span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

/** The time in which the same problem is reported only once. */
const QUIET_MS = 60_000

/** Sets where OpenTelemetry's SDK reports problems. */
function onProblem(report: (reason: string) => void): void {
  const reported = new Map<string, number>()
  const once = (...parts: unknown[]) => {
    const reason = parts.map(describe).join(' ').slice(0, 500)
    const now = performance.now()
    if (now - (reported.get(reason) ?? -Infinity) < QUIET_MS) return
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
