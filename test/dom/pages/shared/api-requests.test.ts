/** Requests and subscriptions of pages, and what may answer them. */
import { beforeEach, expect, it } from 'vitest'
import { PING_INTERVAL_MS } from '../../../../src/graphql/live/subscriptions.ts'
import { GRAPHQL_PATH } from '../../../../src/http/known-paths.ts'
import { answerRequests, createErrorResponse, loadScript, type SentRequest } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/shared/api-requests.js')

const QUERY = 'query { a }'
let script: Script
let answer: () => Response | Promise<Response>
let sent: SentRequest[]

beforeEach(async () => {
  sent = []
  answerRequests((request) => {
    sent.push(request)
    return answer()
  })
  script = (await loadScript('pages/assets/shared/api-requests.js')) as Script
})

const answerWith = (body: unknown, status = 200) => {
  answer = () => Response.json(body, { status })
}
const fail = () => script.failureOf(script.request('key', QUERY, {}))

it('a page gives up a stream only after two pings that have not come', () => {
  expect(script.MAX_SILENCE_MS).toBeGreaterThan(2 * PING_INTERVAL_MS)
})

it('a request goes to the graph, relative to the page, with the key, and has the data of the response', async () => {
  answerWith({ data: { a: 1 } })
  expect(await script.request('the-key', QUERY, { x: 1 })).toEqual({ a: 1 })
  expect(sent).toMatchObject([{ key: 'the-key', operation: { query: QUERY, variables: { x: 1 } } }])
  expect(`/${sent[0]?.address}`).toBe(GRAPHQL_PATH)
})

it.each([
  ['CONFLICT', false, false],
  ['INTERNAL', false, false],
  ['OF_A_LATER_SERVER', false, false],
  ['IDEMPOTENCY_KEY_IN_USE', true, true],
  ['REQUEST_TIMEOUT', false, true],
  ['TIMEOUT', true, true],
  ['DATABASE_UNAVAILABLE', true, true],
  ['RATE_LIMITED', false, true],
  ['OVERLOADED', false, true],
])(
  'after %s, something may have been done: %s; it may succeed in a moment: %s',
  async (code, isUncertain, isTemporary) => {
    answer = () => createErrorResponse(code)
    expect(await fail()).toMatchObject({ code, message: `It is ${code}.`, isUncertain, isTemporary })
  },
)

it.each([
  { message: 'Endpoint request timed out' },
  { code: 'UNAVAILABLE', message: 'The server did not answer.' },
  { errors: [] },
  { errors: ['Bad Gateway'] },
  { data: null },
  null,
])('a response with %j is none of this server', async (body) => {
  answerWith(body, 504)
  expect(await fail()).toMatchObject({ code: null, isUncertain: true, isTemporary: true })
})

it.each([
  ['of the GraphQL API', { errors: [{ message: 'No.', extensions: { code: 'CONFLICT' } }] }, 'CONFLICT'],
  ['of the REST API', { code: 'FORBIDDEN', message: 'No.', status: 403 }, 'FORBIDDEN'],
  ['before the path is known', { code: 'REQUEST_TIMEOUT', message: 'No.', status: 408 }, 'REQUEST_TIMEOUT'],
])('reads an error %s', async (_, body, code) => {
  expect(script.readError(body)).toMatchObject({ code, message: 'No.' })
  answerWith(body, 400)
  expect(await fail()).toMatchObject({ code, message: 'No.' })
})

it.each([{ data: { a: 1 } }, { id: '1', code: 'a' }, [{ id: 1 }], 'text', 1, null])(
  'finds no error of this server in %j',
  (body) => {
    expect(script.readError(body)).toBeNull()
  },
)

it('a request that nothing answers has no code', async () => {
  answer = () => Promise.reject(new TypeError('Failed to fetch'))
  expect(await fail()).toMatchObject({ code: null, message: 'The server cannot be reached.' })
})

it.each([
  [
    'events that arrive in parts',
    ['event: next\nda', 'ta: {"data":{"a":1}}\n', '\nevent: next\ndata: {"data":{"a":2}}\n\n'],
    [{ a: 1 }, { a: 2 }],
  ],
  ['a separator of lines in a text', ['data: {"data":{"a":"\u2028"}}\n\n:\n\n'], [{ a: '\u2028' }]],
])('a subscription has the data of %s', async (_, parts, expected) => {
  const body = new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })
  answer = () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const data: unknown[] = []
  const listener = { onStart: () => undefined, onData: (event: unknown) => data.push(event) }
  await script.subscribe('key', QUERY, new AbortController().signal, listener)
  expect(data).toEqual(expected)
})
