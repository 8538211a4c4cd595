import { expect, it } from 'vitest'
import { currentSpans, runInSpans, trace, type TraceSpan } from '../../../src/base/trace-scope.ts'

/** A span that records the ends of itself and those below it. */
function createSpan(name: string, ended: string[]): TraceSpan {
  return {
    traceId: name,
    start: (child) => createSpan(`${name}/${child}`, ended),
    set: () => undefined,
    end: (error) => void ended.push(error instanceof Error ? `${name}: ${error.message}` : name),
  }
}

it('work outside of a trace is only done', () => {
  expect(trace('x', {}, () => currentSpans())).toBeUndefined()
})

it('work that waits gets a span below that of its caller, which ends with it', async () => {
  const ended: string[] = []
  const work = Promise.withResolvers<null>()
  const result = runInSpans([createSpan('request', ended)], () =>
    trace('operation', {}, () => trace('resolver', {}, () => work.promise.then(() => currentSpans()))),
  )
  expect(ended).toEqual([])
  work.resolve(null)
  expect((await result)?.[0]?.traceId).toBe('request/operation/resolver')
  expect(ended).toEqual(['request/operation/resolver', 'request/operation'])
})

it('work that does not wait gets none, unless it fails', () => {
  const ended: string[] = []
  const span = createSpan('request', ended)
  runInSpans([span], () => trace('quick', {}, () => 1))
  expect(ended).toEqual([])
  const fail = () => {
    throw new Error('no')
  }
  expect(() => runInSpans([span], () => trace('failing', {}, fail))).toThrow('no')
  expect(ended).toEqual(['request/failing: no'])
})
