import { expect, it, onTestFinished } from 'vitest'
import { startTracing } from '../../../src/telemetry/tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331'
const SAMPLED = { traceparent: `00-${TRACE}-01` }
const NOT_SAMPLED = { traceparent: `00-${TRACE}-00` }

it.each([
  ['on', 1, false, { own: true, sampled: true, notSampled: true }],
  ['off', 0, false, { own: false, sampled: false, notSampled: false }],
  ['on, based on the parent', 1, true, { own: true, sampled: true, notSampled: false }],
  ['off, based on the parent', 0, true, { own: false, sampled: true, notSampled: false }],
])('sampling is %s: requests without a trace and with one', async (_, ratio, isParentBased, expected) => {
  const tracing = await startTracing({
    // Never asked: no span ends.
    url: 'http://127.0.0.1:9/v1/traces',
    protocol: 'http/protobuf',
    ratio,
    isParentBased,
    batch: { delay: 5_000, queue: 8, size: 8 },
  })
  onTestFinished(() => tracing.close())
  const isSampled = (headers: { traceparent?: string }) =>
    tracing.startRequest(headers, () => ({ name: 'GET', attributes: {} })) !== null

  expect({ own: isSampled({}), sampled: isSampled(SAMPLED), notSampled: isSampled(NOT_SAMPLED) }).toEqual(
    expected,
  )
})

it('a malformed traceparent begins a trace of its own', async () => {
  const tracing = await startTracing({
    url: 'http://127.0.0.1:9/v1/traces',
    protocol: 'http/json',
    ratio: 1,
    isParentBased: true,
    batch: { delay: 5_000, queue: 8, size: 8 },
  })
  onTestFinished(() => tracing.close())
  const span = tracing.startRequest({ traceparent: '00-1-2-00' }, () => ({ name: 'GET', attributes: {} }))

  expect(span?.traceId).toMatch(/^[\da-f]{32}$/)
})
