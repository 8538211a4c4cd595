import { parseChoice, parseHost, parseInteger, PORTS, type Report } from './env.ts'

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const
const PROTOCOLS = ['http/protobuf', 'http/json'] as const

/** Where metrics are served. */
export type MetricsSettings = NonNullable<ReturnType<typeof parseMetricsSettings>>

/** Which traces are sent, and where. */
export type TraceSettings = NonNullable<ReturnType<typeof parseTraceSettings>>

/** @returns null if metrics are off */
export function parseMetricsSettings(env: NodeJS.ProcessEnv, report: Report) {
  const host = parseHost('METRICS_HOST', env.METRICS_HOST || '127.0.0.1', report)
  if (!env.METRICS_PORT) return null
  /** 0 picks a free port. */
  const port = parseInteger('METRICS_PORT', env.METRICS_PORT, PORTS, report)
  return { host, port }
}

/** @returns null if traces are off */
export function parseTraceSettings(env: NodeJS.ProcessEnv, report: Report) {
  const url = parseTracesUrl(env, report)
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  if (url === null || isOff) return null
  const exporter = env.OTEL_TRACES_EXPORTER || 'otlp'
  if (exporter !== 'otlp') report('OTEL_TRACES_EXPORTER', 'otlp or none')
  const variable = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const protocol = env[variable] || 'http/protobuf'
  const parseCount = (variable: string, usual: string) =>
    parseInteger(variable, env[variable] || usual, [1, 9_999_999], report)
  const size = parseCount('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '512')
  return {
    /** The collector's URL for traces. */
    url,
    protocol: parseChoice(variable, protocol, PROTOCOLS, report, PROTOCOLS.join(' or ')),
    ...parseSampler(env, report),
    /** Milliseconds between two batches; the maximum number of waiting spans, and of spans in one batch. */
    batch: {
      delay: parseCount('OTEL_BSP_SCHEDULE_DELAY', '5000'),
      queue: Math.max(size, parseCount('OTEL_BSP_MAX_QUEUE_SIZE', '2048')),
      size,
    },
  }
}

/** The general endpoint is the base of the URL for traces; the endpoint for traces is used as it is (OTLP exporter specification). */
function parseTracesUrl(env: NodeJS.ProcessEnv, report: Report): string | null {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const text = own || env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!text) return null
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    const variable = own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT'
    report(variable, 'an http or https URL like http://127.0.0.1:4318')
    return null
  }
  return own ? url.href : `${url.href.replace(/\/$/, '')}/v1/traces`
}

function parseSampler(env: NodeJS.ProcessEnv, report: Report) {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on'
  const sampler = parseChoice(
    'OTEL_TRACES_SAMPLER',
    name.replace(/^parentbased_/, ''),
    SAMPLERS,
    report,
    `one of ${SAMPLERS.join(', ')}, with or without parentbased_ in front`,
  )
  const ratios = {
    always_on: 1,
    always_off: 0,
    traceidratio: parseRatio(env.OTEL_TRACES_SAMPLER_ARG || '1', report),
  }
  return {
    /** The share of the requests that are sampled: from 0 to 1. */
    ratio: ratios[sampler],
    /** Whether a request with a traceparent is sampled if, and only if, its client says so. */
    isParentBased: name.startsWith('parentbased_'),
  }
}

function parseRatio(text: string, report: Report): number {
  const ratio = Number(text)
  if (!/^\d*\.?\d+(e-\d+)?$/i.test(text) || ratio > 1) {
    report('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1, like 0.01')
  }
  return ratio
}
