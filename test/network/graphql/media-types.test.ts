/** How queries and subscriptions are answered, by the media types that a client accepts. */
import { expect, it } from 'vitest'
import { KEY, listen } from '../../support/app.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

const [json, graphql] = ['application/json', 'application/graphql-response+json']
const [sse, multipart] = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0']

it.each<[accept: string, query: string | number, subscription: string | number]>([
  ['*/*', json, sse],
  [json, json, 406],
  ['application/*', json, 406],
  [graphql, graphql, 406],
  [`${json};q=0.5, ${graphql}`, graphql, 406],
  ['APPLICATION/GraphQL-Response+JSON', graphql, 406],
  // Apollo Client 4 and 3, and Apollo's clients for phones.
  [`multipart/mixed;boundary=graphql;subscriptionSpec=1.0,${graphql},${json};q=0.9`, graphql, multipart],
  [`multipart/mixed;boundary=graphql;subscriptionSpec=1.0,${json}`, json, multipart],
  [`multipart/mixed;deferSpec=20220824,multipart/mixed;subscriptionSpec=1.0,${json}`, json, multipart],
  [`${json}, Multipart/Mixed ; boundary="graphql" ; SubscriptionSpec="1.0" ; q=0.5`, json, multipart],
  [`multipart/mixed;deferSpec=20220824, ${json}`, json, 406],
  [`${json}, multipart/mixed;subscriptionSpec=1.01`, json, 406],
  [multipart, multipart, multipart],
  [sse, sse, sse],
  [`${sse}, ${json}`, json, sse],
  [`${multipart}, ${sse}`, multipart, multipart],
  // Too long to be read.
  [`${json},${' '.repeat(1_000)}text/html`, 406, 406],
  [`text/html,${' '.repeat(1_000)}${json}`, 406, 406],
  ['text/html', 406, 406],
  [`${json};q=0`, 406, 406],
])('the media types of answers to a client that accepts %.100s', async (accept, ...types) => {
  const database = createFakeDatabase()
  const { url } = await listen(database)
  const controller = new AbortController()
  for (const [index, query] of ['{ __typename }', 'subscription { petChanged { kind } }'].entries()) {
    const response = await fetch(new URL('/graphql', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': json, accept },
      body: JSON.stringify({ query }),
      signal: controller.signal,
    })
    const type = response.headers.get('content-type')?.replace('boundary="graphql";', '')
    const found = response.status === 200 ? type?.replace('; charset=utf-8', '') : response.status
    expect(found, query).toBe(types[index])
    if (found === 406) {
      const answer = (await response.json()) as object
      expect(answer).toMatchObject({ errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] })
      expect(database.events.size).toBe(0)
    }
  }
  controller.abort()
})
