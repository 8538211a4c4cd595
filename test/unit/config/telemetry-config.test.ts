import { describe, expect, it } from 'vitest'
import { readMetricsSettings, readTraceSettings } from '../../../src/config/telemetry-config.ts'

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

function readTraces(env: Record<string, string>) {
  const problems: string[] = []
  const settings = readTraceSettings(env, problems)
  expect(problems).toEqual([])
  return settings
}

describe('traces are off', () => {
  it.each<[string, Record<string, string>]>([
    ['without a collector', { OTEL_TRACES_SAMPLER: 'always_on' }],
    ['with OTEL_SDK_DISABLED', { ...COLLECTOR, OTEL_SDK_DISABLED: 'true' }],
    ['with OTEL_TRACES_EXPORTER=none', { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }],
  ])('traces are off %s', (_, env) => expect(readTraces(env)).toBeNull())
})

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1' }, 'http://a:1/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a/base/' }, 'https://a/base/v1/traces'],
  [{ ...COLLECTOR, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/own' }, 'http://b/own'],
])('%j sends traces to %s', (env, url) => expect(readTraces(env)?.url).toBe(url))

it.each([
  ['', 1, true],
  ['always_off', 0, false],
  ['traceidratio', 0.25, false],
  ['parentbased_traceidratio', 0.25, true],
])('OTEL_TRACES_SAMPLER=%s sets the share of traces that begin here', (name, ratio, isParentBased) => {
  const env = { ...COLLECTOR, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.25' }
  expect(readTraces(env)).toMatchObject({ ratio, isParentBased })
})

it('a queue for spans holds a batch at least', () => {
  const env = { ...COLLECTOR, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4000', OTEL_BSP_MAX_QUEUE_SIZE: '10' }
  expect(readTraces(env)?.batch).toEqual({ delay: 5_000, queue: 4_000, size: 4_000 })
})

it.each<[string, string]>([
  ['METRICS_PORT', 'x'],
  ['METRICS_HOST', 'http://x'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_SAMPLER_ARG', '1%'],
  ['OTEL_BSP_SCHEDULE_DELAY', '0'],
])('%s=%s is a problem', (variable, text) => {
  const env = { METRICS_PORT: '0', ...COLLECTOR, [variable]: text }
  const problems: string[] = []
  readMetricsSettings(env, problems)
  readTraceSettings(env, problems)
  expect(problems).toEqual([expect.stringMatching(`^${variable} must be `)])
})
