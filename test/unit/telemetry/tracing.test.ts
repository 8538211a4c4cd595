import { expect, it, onTestFinished } from 'vitest'
import { startTracing } from '../../../src/telemetry/tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331'
const SAMPLED = { traceparent: `00-${TRACE}-01` }
const NOT_SAMPLED = { traceparent: `00-${TRACE}-00` }

/** @returns begins the span of a request; null: it is not sampled */
async function start(ratio: number, isParentBased: boolean) {
  const tracing = await startTracing({
    // Never asked: no span ends.
    url: 'http://127.0.0.1:9/v1/traces',
    protocol: 'http/protobuf',
    ratio,
    isParentBased,
    batch: { delay: 5_000, queue: 8, size: 8 },
  })
  onTestFinished(() => tracing.close())
  return (headers: { traceparent?: string }) =>
    tracing.startRequest(headers, () => ({ name: 'GET', attributes: {} }))
}

it.each([
  ['on', 1, false, [true, true, true]],
  ['off', 0, false, [false, false, false]],
  ['on, based on the parent', 1, true, [true, true, false]],
  ['off, based on the parent', 0, true, [false, true, false]],
])('sampling is %s: requests without a trace and with one', async (_, ratio, isParentBased, expected) => {
  const startRequest = await start(ratio, isParentBased)
  expect([{}, SAMPLED, NOT_SAMPLED].map((headers) => startRequest(headers) !== null)).toEqual(expected)
})

it('a malformed traceparent begins a trace of its own', async () => {
  const startRequest = await start(1, true)
  expect(startRequest({ traceparent: '00-1-2-00' })?.traceId).toMatch(/^[\da-f]{32}$/)
})
