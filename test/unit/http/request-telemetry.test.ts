import { expect, it } from 'vitest'
import { readTraceId } from '../../../src/http/request-telemetry.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

it.each<[unknown, string | string[] | undefined, string | undefined]>([
  ['version 00', `00-${TRACE}-${PARENT}-01`, TRACE],
  ['not sampled', `00-${TRACE}-${PARENT}-00`, TRACE],
  ['a later version, with more fields', `01-${TRACE}-${PARENT}-01-what-else`, TRACE],
  ['none', undefined, undefined],
  ['two headers', [`00-${TRACE}-${PARENT}-01`], undefined],
  ['version 00 with more fields', `00-${TRACE}-${PARENT}-01-x`, undefined],
  ['version ff', `ff-${TRACE}-${PARENT}-01`, undefined],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, undefined],
  ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`, undefined],
  ['too short', `00-${TRACE.slice(1)}-${PARENT}-01`, undefined],
  ['a forged log line', `00-${TRACE}-${PARENT}-01\n{"level":50}`, undefined],
])('a valid traceparent has a trace id, and any other has none: %s', (_, header, traceId) => {
  expect(readTraceId(header)).toBe(traceId)
})
