/** Traces by OpenTelemetry's SDK. What is traced uses only its API, which does nothing unless this has been started. */
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { loggingErrorHandler, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Observe } from '../base/observation.ts'
import { messageOf } from '../base/thrown.ts'
import { waitAtMost } from '../base/time-limit.ts'
import { createResource } from './otel-resource.ts'
import type { TraceSettings } from '../config/telemetry-config.ts'

/** The time that sending the last spans may take when the server stops. */
const LAST_EXPORT_MS = 2_000

/** Starts to record and send spans, for the whole process. */
export async function startTracing(settings: TraceSettings) {
  const { delayMs, queue, size } = settings.batch
  const processor = new BatchSpanProcessor({
    exporter: await createExporter(settings),
    scheduledDelayMillis: delayMs,
    maxQueueSize: queue,
    maxExportBatchSize: size,
  })
  const root = new TraceIdRatioBasedSampler(settings.ratio)
  const provider = new TracerProvider({
    resource: createResource(),
    sampler: settings.isParentBased ? new ParentBasedSampler({ root }) : root,
    spanProcessors: [processor],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return {
    /** Sets what is told of problems, such as a collector that cannot be reached. */
    reportProblems,
    /** Sends the spans that wait, for 2 seconds at most. */
    async close() {
      for (const api of [trace, context, propagation]) api.disable()
      await waitAtMost(LAST_EXPORT_MS, provider.shutdown()).catch(() => undefined)
      // Last, since sending these may fail, too.
      setGlobalErrorHandler(loggingErrorHandler())
      diag.disable()
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

/** The time between two reports: a collector that cannot be reached is a problem at each batch. */
const QUIET_MS = 60_000

/** Reports the problems of OpenTelemetry's SDK: errors of sending spans, and warnings. */
function reportProblems(observe: Observe): void {
  let quietUntil = 0
  const report = (...parts: unknown[]) => {
    const now = performance.now()
    if (now < quietUntil) return
    quietUntil = now + QUIET_MS
    observe({ type: 'traces unsent', reason: parts.map(messageOf).join(' ').slice(0, 500) })
  }
  const ignore = () => undefined
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  // The SDK's own handler would make the logger's text of an error: JSON, with its stack.
  setGlobalErrorHandler(report)
}
