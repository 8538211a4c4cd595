import { describe, expect, it } from 'vitest'
import { Environment } from '../../../src/config/environment.ts'
import { readMetricsSettings, readTraceSettings } from '../../../src/config/telemetry-config.ts'

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

function readTraces(env: Record<string, string>) {
  const { traces, warnings } = readTraceSettings(env)
  expect(warnings).toEqual([])
  return traces
}

describe('traces are off', () => {
  it.each<[string, Record<string, string>]>([
    ['without a collector', { OTEL_TRACES_SAMPLER: 'always_on' }],
    ['with OTEL_SDK_DISABLED', { ...COLLECTOR, OTEL_SDK_DISABLED: 'true' }],
    ['with OTEL_SDK_DISABLED in capitals', { ...COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' }],
    ['with OTEL_TRACES_EXPORTER=none', { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }],
    ['with none among others', { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'None,otlp' }],
  ])('traces are off %s', (_, env) => expect(readTraces(env)).toBeNull())
})

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1' }, 'http://a:1/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a/base/' }, 'https://a/base/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a/base?tenant=1' }, 'https://a/base/v1/traces?tenant=1'],
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
  expect(readTraces(env)?.batch).toEqual({ delayMs: 5_000, queue: 4_000, size: 4_000 })
})

it.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'HTTP/JSON', { protocol: 'http/json' }],
  ['OTEL_TRACES_EXPORTER', ' OTLP ', { protocol: 'http/protobuf' }],
  ['OTEL_TRACES_SAMPLER', 'ParentBased_Always_Off', { ratio: 0, isParentBased: true }],
  ['OTEL_BSP_SCHEDULE_DELAY', '0', { batch: { delayMs: 0 } }],
])('%s=%s is understood', (variable, text, expected) => {
  expect(readTraces({ ...COLLECTOR, [variable]: text })).toMatchObject(expected)
})

/** What platforms set for other SDKs, and whether traces are sent all the same. */
it.each<[string, string, boolean]>([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', false],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces', false],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', false],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc', false],
  ['OTEL_TRACES_EXPORTER', 'zipkin', false],
  ['OTEL_TRACES_EXPORTER', 'otlp,console', true],
  ['OTEL_TRACES_SAMPLER', 'xray', true],
  ['OTEL_TRACES_SAMPLER', 'parentbased_jaeger_remote', true],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5', true],
  ['OTEL_TRACES_SAMPLER_ARG', 'endpoint=http://localhost:14250', true],
  ['OTEL_BSP_SCHEDULE_DELAY', '5s', true],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '-1', true],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '0', true],
])('%s=%s is reported, and the other variables are read', (variable, text, areSent) => {
  const { traces, warnings } = readTraceSettings({ ...COLLECTOR, [variable]: text })
  expect(warnings).toEqual([expect.stringMatching(`^${variable}(:| must be) `)])
  expect(traces).toEqual(areSent ? readTraces(COLLECTOR) : null)
})

it.each<[string, string]>([
  ['METRICS_PORT', 'x'],
  ['METRICS_HOST', 'http://x'],
])('%s=%s is a problem', (variable, text) => {
  const env = new Environment({ METRICS_PORT: '0', [variable]: text })
  readMetricsSettings(env)
  expect(env.problems).toEqual([expect.stringMatching(`^${variable} must be `)])
})
