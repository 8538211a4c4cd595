import { describe, expect, it } from 'vitest'
import { readAccept } from '../../../src/graphql/media-types.ts'

const [json, graphql] = ['application/json', 'application/graphql-response+json']
const [sse, multipart] = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0']

describe('a client that accepts', () => {
  it.each<[string | undefined, string | null, string | null]>([
    [undefined, json, sse],
    ['', json, sse],
    ['*/*', json, sse],
    ['application/*', json, null],
    [graphql, graphql, null],
    [`${json};q=0.5, ${graphql}`, graphql, null],
    [sse, null, sse],
    [`${sse}, ${json}`, json, sse],
    [multipart, null, multipart],
    [`${sse};q=0.5, ${multipart}`, null, multipart],
    ['multipart/mixed;boundary=x;subscriptionSpec="1.0", application/json', json, multipart],
    [`multipart/mixed, ${json}`, json, null],
    ['x'.repeat(20_000), json, sse],
  ])('%s gets results as %s and events as %s', (accept, result, events) => {
    for (let time = 0; time < 2; time += 1) {
      const { resultType, framing } = readAccept(accept)
      expect(resultType).toBe(result && `${result}; charset=utf-8`)
      expect(framing?.contentType.replace('boundary="graphql";', '') ?? null).toBe(events)
    }
  })

  it.each(['text/html', 'multipart/mixed', `${json};q=0`])('only %s gets nothing', (accept) => {
    for (let time = 0; time < 2; time += 1) expect(() => readAccept(accept)).toThrow('Accept header')
  })
})
