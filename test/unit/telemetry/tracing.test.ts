import { diag, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { globalErrorHandler } from '@opentelemetry/core'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Observation } from '../../../src/base/observation.ts'
import { startTracing } from '../../../src/telemetry/tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331'
const SAMPLED = { traceparent: `00-${TRACE}-01` }
const NOT_SAMPLED = { traceparent: `00-${TRACE}-00` }

async function start(ratio: number, isParentBased: boolean) {
  const tracing = await startTracing({
    // Never asked: no span ends.
    url: 'http://127.0.0.1:9/v1/traces',
    protocol: 'http/protobuf',
    ratio,
    isParentBased,
    batch: { delayMs: 5_000, queue: 8, size: 8 },
  })
  onTestFinished(() => tracing.close())
  return tracing
}

const startRequest = (headers: { traceparent?: string }) =>
  trace.getTracer('test').startSpan('GET', {}, propagation.extract(ROOT_CONTEXT, headers))

it.each([
  ['on', 1, false, [true, true, true]],
  ['off', 0, false, [false, false, false]],
  ['on, based on the parent', 1, true, [true, true, false]],
  ['off, based on the parent', 0, true, [false, true, false]],
])('sampling is %s: requests without a trace and with one', async (_, ratio, isParentBased, expected) => {
  await start(ratio, isParentBased)
  expect([{}, SAMPLED, NOT_SAMPLED].map((headers) => startRequest(headers).isRecording())).toEqual(expected)
})

it('a malformed traceparent begins a trace of its own', async () => {
  await start(1, true)
  expect(startRequest({ traceparent: '00-1-2-00' }).spanContext().traceId).toMatch(/^[\da-f]{32}$/)
})

it('problems of the SDK are reported until tracing ends', async () => {
  const tracing = await start(1, true)
  const observed: Observation[] = []
  tracing.reportProblems((observation) => void observed.push(observation))
  globalErrorHandler(new Error('"a" is down'))
  await tracing.close()
  expect(observed).toEqual([{ type: 'traces unsent', reason: '"a" is down' }])
  vi.spyOn(performance, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER)
  globalErrorHandler(new Error('later'))
  diag.warn('later')
  expect(observed).toHaveLength(1)
})
