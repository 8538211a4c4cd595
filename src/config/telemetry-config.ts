import { createEnvReader, integer, oneOf, parseHostName, parsePort, type Report } from './variable-parsers.ts'

/** Where metrics are served. */
export type MetricsSettings = NonNullable<ReturnType<typeof readMetricsSettings>>

/** Which traces are sent, and where. */
export type TraceSettings = NonNullable<ReturnType<typeof readTraceSettings>>

/** @returns null if metrics are off */
export function readMetricsSettings(env: NodeJS.ProcessEnv, problems: string[]) {
  const read = createEnvReader(env, problems)
  const host = read('METRICS_HOST', '127.0.0.1', parseHostName)
  return env.METRICS_PORT ? { host, port: read('METRICS_PORT', '', parsePort) } : null
}

/**
 * Reads OpenTelemetry's own variables. A platform may set them for other programs, too, so an invalid one is reported and has
 * its default, and nothing fails (OpenTelemetry specification, "Environment variables").
 * @param warnings receives a sentence about each invalid variable
 * @returns null if traces are off
 */
export function readTraceSettings(environment: NodeJS.ProcessEnv, warnings: string[]) {
  // From a file, a value often has a line feed at its end.
  const env = Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, text?.trim()]))
  const read = createEnvReader(env, warnings)
  // A variable for traces alone takes precedence. Its URL is used as it is; the general one is a base (OTLP exporter specification).
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
    ? read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '', parseUrl)
    : read('OTEL_EXPORTER_OTLP_ENDPOINT', '', parseBaseUrl)
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true'
  if (url === null || isOff || !sendsTraces(env, warnings)) return null
  const protocol = readProtocol(env, warnings)
  if (protocol === null) return null
  const sampler = read('OTEL_TRACES_SAMPLER', 'parentbased_always_on', inLowerCase(parseSampler))
  const share = read('OTEL_TRACES_SAMPLER_ARG', '1', parseRatio)
  const size = read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '512', parseCount)
  return {
    /** The collector's URL for traces. */
    url: url.href,
    protocol,
    /** The share of the requests that are sampled: from 0 to 1. */
    ratio: { always_on: 1, always_off: 0, traceidratio: share }[sampler.name],
    /** Whether a request with a traceparent is sampled if, and only if, its client says so. */
    isParentBased: sampler.isParentBased,
    /** Milliseconds between two batches; the maximum number of waiting spans, and of spans in one batch. */
    batch: {
      delay: read('OTEL_BSP_SCHEDULE_DELAY', '5000', integer(0, 9_999_999)),
      queue: Math.max(size, read('OTEL_BSP_MAX_QUEUE_SIZE', '2048', parseCount)),
      size,
    },
  }
}

/** Whether the list in OTEL_TRACES_EXPORTER has `otlp`, the only exporter that is supported. */
function sendsTraces({ OTEL_TRACES_EXPORTER: list }: NodeJS.ProcessEnv, warnings: string[]): boolean {
  const names = (list?.toLowerCase() || 'otlp').split(',').map((name) => name.trim())
  if (names.includes('none')) return false
  const others = names.filter((name) => name !== 'otlp')
  if (others.length > 0)
    warnings.push(`OTEL_TRACES_EXPORTER: only otlp is available, not ${others.join(', ')}`)
  return names.includes('otlp')
}

/** @returns null, so that traces are off, for a protocol that is not available */
function readProtocol(env: NodeJS.ProcessEnv, warnings: string[]): 'http/protobuf' | 'http/json' | null {
  const variable = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const protocol = env[variable]?.toLowerCase() || 'http/protobuf'
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol
  warnings.push(`${variable} must be http/protobuf or http/json: no traces are sent`)
  return null
}

/** Enumerations are read without regard to case. */
function inLowerCase<Value>(parse: (text: string, report: Report) => Value) {
  return (text: string, report: Report): Value => parse(text.toLowerCase(), report)
}

/** @returns null if the text is empty */
function parseUrl(text: string, report: Report): URL | null {
  if (text === '') return null
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url
  report('an http or https URL like http://127.0.0.1:4318')
  return null
}

function parseBaseUrl(text: string, report: Report): URL | null {
  const url = parseUrl(text, report)
  if (url) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  return url
}

const parseCount = integer(1, 9_999_999)
const parseSamplerName = oneOf('always_on', 'always_off', 'traceidratio')

function parseSampler(text: string, report: Report) {
  const name = parseSamplerName(text.replace(/^parentbased_/, ''), (expected) =>
    report(`${expected}, with or without parentbased_ in front`),
  )
  return { name, isParentBased: text.startsWith('parentbased_') }
}

function parseRatio(text: string, report: Report): number {
  const ratio = Number(text)
  if (!/^\d*\.?\d+(e-\d+)?$/i.test(text) || ratio > 1) report('a number from 0 to 1, like 0.01')
  return ratio
}
