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
    ['APPLICATION/GraphQL-Response+JSON', graphql, null],
    // Apollo Client 4 and 3, and Apollo's clients for phones.
    [`multipart/mixed;boundary=graphql;subscriptionSpec=1.0,${graphql},${json};q=0.9`, graphql, multipart],
    [`multipart/mixed;boundary=graphql;subscriptionSpec=1.0,${json}`, json, multipart],
    [`multipart/mixed;deferSpec=20220824,multipart/mixed;subscriptionSpec=1.0,${json}`, json, multipart],
    [`${json}, Multipart/Mixed ; boundary="graphql" ; SubscriptionSpec="1.0" ; q=0.5`, json, multipart],
    [`multipart/mixed;deferSpec=20220824, ${json}`, json, null],
    [`${json}, multipart/mixed;subscriptionSpec=1.01`, json, null],
    [`${json}, multipart/mixed;subscriptionSpec=1.0;q=0`, json, null],
    [`${multipart}, ${sse}`, null, multipart],
    [`${sse}, ${multipart}`, null, sse],
    [`${json};q=0, */*`, graphql, sse],
    [`${json};q=0.5, ${graphql}`, graphql, null],
    [sse, null, sse],
    [`${sse}, ${json}`, json, sse],
    [multipart, null, multipart],
    [`${sse};q=0.5, ${multipart}`, null, multipart],
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
