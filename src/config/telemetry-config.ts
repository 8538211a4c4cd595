import { Environment, Invalid } from './environment.ts'
import { integer, parseHostName, parsePort } from './variable-parsers.ts'

/** Where metrics are served. */
export interface MetricsSettings {
  host: string
  port: number
}

/** Which traces are sent, and where. */
export interface TraceSettings {
  /** The collector's URL for traces. */
  url: string
  protocol: 'http/protobuf' | 'http/json'
  /** The share of the requests that are sampled: from 0 to 1. */
  ratio: number
  /** Whether a request with a traceparent is sampled if, and only if, its client says so. */
  isParentBased: boolean
  /** The time between two batches; the maximum number of waiting spans, and of spans in one batch. */
  batch: { delayMs: number; queue: number; size: number }
}

/** @returns null if metrics are off */
export function readMetricsSettings(env: Environment): MetricsSettings | null {
  const host = env.read('METRICS_HOST', '127.0.0.1', parseHostName)
  const port = env.read('METRICS_PORT', null, parsePort)
  return port === null ? null : { host, port }
}

/**
 * Reads OpenTelemetry's own variables. A platform may set them for other programs, too, so an invalid one is a warning and has
 * its default, and nothing fails (OpenTelemetry specification, "Environment variables").
 * @returns traces: null if they are off; warnings: a sentence about each invalid variable
 */
export function readTraceSettings(variables: NodeJS.ProcessEnv): {
  traces: TraceSettings | null
  warnings: string[]
} {
  // From a file, a value often has a line feed at its end.
  const trimmed = Object.entries(variables).map(([name, text]) => [name, text?.trim()] as const)
  const env = new Environment(Object.fromEntries(trimmed))
  return { traces: readTraces(env), warnings: env.problems }
}

function readTraces(env: Environment): TraceSettings | null {
  // A variable for traces alone takes precedence. Its URL is used as it is; the general one is a base (OTLP exporter specification).
  const url = env.has('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
    ? env.read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', null, parseUrl)
    : env.read('OTEL_EXPORTER_OTLP_ENDPOINT', null, parseBaseUrl)
  const isOff = env.text('OTEL_SDK_DISABLED').toLowerCase() === 'true'
  if (url === null || isOff || !sendsTraces(env)) return null
  const protocol = readProtocol(env)
  if (protocol === null) return null
  const sampler = env.read('OTEL_TRACES_SAMPLER', DEFAULT_SAMPLER, parseSampler)
  const share = env.read('OTEL_TRACES_SAMPLER_ARG', 1, parseRatio)
  const size = env.read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, parseCount)
  return {
    url: url.href,
    protocol,
    ratio: { always_on: 1, always_off: 0, traceidratio: share }[sampler.name],
    isParentBased: sampler.isParentBased,
    batch: {
      delayMs: env.read('OTEL_BSP_SCHEDULE_DELAY', 5_000, integer(0, 9_999_999)),
      queue: Math.max(size, env.read('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, parseCount)),
      size,
    },
  }
}

/** Whether the list in OTEL_TRACES_EXPORTER has `otlp`, the only exporter that is supported. */
function sendsTraces(env: Environment): boolean {
  const list = env.text('OTEL_TRACES_EXPORTER').toLowerCase() || 'otlp'
  const names = list.split(',').map((name) => name.trim())
  if (names.includes('none')) return false
  const others = names.filter((name) => name !== 'otlp')
  if (others.length > 0)
    env.problems.push(`OTEL_TRACES_EXPORTER: only otlp is available, not ${others.join(', ')}`)
  return names.includes('otlp')
}

/** @returns null, so that traces are off, for a protocol that is not available */
function readProtocol(env: Environment): TraceSettings['protocol'] | null {
  const variable = env.has('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL')
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const protocol = env.text(variable).toLowerCase() || 'http/protobuf'
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol
  env.problems.push(`${variable} must be http/protobuf or http/json: no traces are sent`)
  return null
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url
  throw new Invalid('an http or https URL like http://127.0.0.1:4318')
}

function parseBaseUrl(text: string): URL {
  const url = parseUrl(text)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  return url
}

const parseCount = integer(1, 9_999_999)
const DEFAULT_SAMPLER = { name: 'always_on', isParentBased: true } as const
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const

/** The names of samplers are read without regard to case. */
function parseSampler(text: string) {
  const sampler = text.toLowerCase()
  const name = SAMPLERS.find((one) => one === sampler.replace(/^parentbased_/, ''))
  if (name === undefined)
    throw new Invalid(`one of ${SAMPLERS.join(', ')}, with or without parentbased_ in front`)
  return { name, isParentBased: sampler.startsWith('parentbased_') }
}

function parseRatio(text: string): number {
  const ratio = Number(text)
  if (/^\d*\.?\d+(e-\d+)?$/i.test(text) && ratio <= 1) return ratio
  throw new Invalid('a number from 0 to 1, like 0.01')
}
