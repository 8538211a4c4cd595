/** GraphQL over HTTP: methods, media types, status codes, and requests that are not GraphQL. */
import { getIntrospectionQuery } from 'graphql'
import { auditServer } from 'graphql-http'
import { describe, expect, it, vi } from 'vitest'
import { OpenCost } from '../../../src/http/open-cost.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import type { TestRequest } from '../../support/client.ts'
import { KEY, useService } from '../../support/service.ts'
import { many } from '../../support/invalid-requests.ts'

const service = useService()
const typename = { method: 'POST', body: { query: '{__typename}' } }
const [json, modern] = ['application/json', 'application/graphql-response+json']
const withHeaders = (headers: Record<string, string>): TestRequest => ({ ...typename, headers })

it('the graphql-http audit passes', async () => {
  const authorization = `Bearer ${KEY}`
  const results = await auditServer({
    url: `${service.url}/graphql`,
    fetchFn: (url: string, init?: RequestInit) =>
      fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), authorization } }),
  })
  expect(results.filter(({ status }) => status !== 'ok').map(({ id, name }) => `${id} ${name}`)).toEqual([])
  expect(results.length).toBe(61)
})

// Each method without a key: test/service/rest/properties.test.ts.
it.each<[number, string, TestRequest]>([
  [200, 'a media type in other letters', withHeaders({ 'content-type': 'Application/JSON' })],
  [200, 'a body that is not encoded', withHeaders({ 'content-encoding': 'Identity' })],
  [
    200,
    'variables that are nested deeply',
    { ...typename, body: `{"query":"{__typename}","variables":{"a":${'['.repeat(990)}${']'.repeat(990)}}}` },
  ],
  [401, 'no key', { ...typename, key: null }],
  [401, 'no key, for an event stream', { ...withHeaders({ accept: 'text/event-stream' }), key: null }],
  [401, 'no key, for HTML', { ...withHeaders({ accept: 'text/html' }), key: null }],
  [405, 'another method', { method: 'DELETE' }],
  [406, 'an Accept without JSON', withHeaders({ accept: 'text/html' })],
  [406, 'an Accept that excludes JSON', withHeaders({ accept: `${json};q=0, ${modern};q=0.0` })],
  [413, 'a body that is too large', { method: 'POST', body: { query: ' '.repeat(64 * 1024) } }],
  [415, 'no body', { method: 'POST' }],
  [415, 'a body that is compressed', withHeaders({ 'content-encoding': 'br, gzip' })],
])('%d is the answer to a request with %s', async (expected, _, request) => {
  const { status, json, headers } = await service.client.send('/graphql', request)
  expect(status).toBe(expected)
  expect(headers['www-authenticate']).toBe(expected === 401 ? 'Bearer realm="pet-store"' : undefined)
  expect(headers.allow).toBe(expected === 405 ? 'GET, HEAD, OPTIONS, POST' : undefined)
  if (expected === 200) {
    expect(json).toEqual({ data: { __typename: 'Query' } })
    expect(headers).toMatchObject({ vary: 'Accept, Authorization', 'cache-control': 'private, no-cache' })
  } else {
    const [message, code] = [expect.any(String) as string, expect.any(String) as string]
    expect(json).toMatchObject({ errors: [{ message, extensions: { code } }] })
  }
})

it.each([
  ['/%67raphql', 'a'],
  ['http://another.example/graphql', 'a'],
  ['/graphql', '%'],
  ['/graphql', 'a:99999'],
  ['/graphql', '1.2.3.4.5'],
])(
  'the first answer to a document does not depend on the form of the URL: %s, Host %s',
  async (path, host) => {
    const query = encodeURIComponent(`{__typename} # ${path} ${host}`)
    const head = `GET ${path}?query=${query} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${KEY}\r\n`
    const answer = await service.client.raw(`${head}Connection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*\{"data":\{"__typename":"Query"\}\}/s)
  },
)

it.each(['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'])(
  'the connection is closed after a result, if the client asks for that: %s',
  async (accept) => {
    const head = `GET /graphql?query={__typename} HTTP/1.0\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n`
    const answer = await service.client.raw(`${head}Accept: ${accept}\r\n\r\n`)
    expect(answer).toMatch(/^connection: close\r\n/im)
    // HTTP/1.0 has no chunks.
    expect(answer).not.toMatch(/^transfer-encoding:/im)
    expect(answer).toContain('{"data":{"__typename":"Query"}}')
  },
)

it.each(['application/json', 'text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'])(
  'a failure has its status and its headers in any media type: %s',
  async (accept) => {
    const request = { headers: { accept } }
    const rejected = await service.client.post('/graphql', {}, request)
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining('INVALID_REQUEST')])
    const loads = vi.spyOn(OpenCost.prototype, 'hold').mockImplementation(() => {
      throw new ServiceError('OVERLOADED')
    })
    const { status, headers } = await service.client.post('/graphql', typename.body, request)
    loads.mockRestore()
    expect([status, headers['retry-after']]).toEqual([503, '1'])
  },
)

it('an upgrade to WebSocket names both ways to subscribe, even without a key', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  const { status, text } = await service.client.send('/graphql', { key: null, headers })
  const ways = expect.stringMatching(/text\/event-stream.*multipart\/mixed;subscriptionSpec=1\.0/) as string
  expect([status, text]).toEqual([400, ways])
})

describe('an answer without data', () => {
  const byId = 'query ($id: ID!) { pet(id: $id) { id } }'
  it.each([
    ['a variable is missing', { query: byId }],
    ['a variable is null', { query: byId, variables: { id: null } }],
    ['a variable has the wrong type', { query: byId, variables: { id: [1] } }],
    ['a literal has the wrong type', { query: '{ pet(id: 1.5) { id } }' }],
    ['a field is unknown', { query: '{ colour }' }],
    ['the document cannot be parsed', { query: '{' }],
    ['the document has too many tokens', { query: `{ ${'id '.repeat(2_000)} }` }],
    ['the document is too long', { query: `{ __typename } #${'x'.repeat(16_384)}` }],
    ['the document is too deep', { query: `${'{ pets '.repeat(21)}${'}'.repeat(21)}` }],
    ['the document costs too much', { query: `{ ${many(10, (i) => `a${i}: pets { totalCount }`)} }` }],
    ['there is no such operation', { query: 'query A { __typename }', operationName: 'B' }],
    ['the operation is not named', { query: 'query A { __typename } query B { __typename }' }],
  ])('is 400 as application/graphql-response+json, and 200 as application/json: %s', async (_, body) => {
    const send = (accept: string) => service.client.post('/graphql', body, { headers: { accept } })
    const [first, plain] = [await send(modern), await send(json)]
    expect([first.status, plain.status]).toEqual([400, 200])
    expect(first.headers['content-type']).toBe(`${modern}; charset=utf-8`)
    expect(plain.headers['content-type']).toBe(`${json}; charset=utf-8`)
    expect(first.json).not.toHaveProperty('data')
    expect(plain.json).toEqual(first.json)
  })

  it('is distinguished from an answer whose data are null', async () => {
    const body = { query: '{ pets(first: 101) { totalCount } }' }
    const { status, json } = await service.client.post('/graphql', body, { headers: { accept: modern } })
    expect([status, json]).toMatchObject([200, { data: null }])
  })

  it.each([json, modern, '*/*'])('is 400 without a query, whatever the media type: %s', async (accept) => {
    const send = async (request: TestRequest, search = '') => {
      const { status, json } = await service.client.send(`/graphql${search}`, {
        ...request,
        headers: { accept },
      })
      expect([status, json]).toMatchObject([400, { errors: [{ extensions: { code: 'INVALID_REQUEST' } }] }])
    }
    for (const body of ['{}', '{"query":null}', '{"variables":{}}', '{"query":null,"operationName":"A"}'])
      await send({ method: 'POST', body })
    for (const search of [
      '?variables={}',
      '?query={__typename}&variables={',
      '?query={__typename}&extensions={',
    ])
      await send({}, search)
  })
})

describe('a mutation', () => {
  const query = 'mutation { createPet(input: { name: "x", categoryId: 1 }) { id } }'
  const operations = `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query })}\r\n--x--\r\n`
  it.each([
    ['text/plain', JSON.stringify({ query })],
    ['application/x-www-form-urlencoded', `query=${encodeURIComponent(query)}`],
    ['application/graphql', query],
    ['multipart/form-data; boundary=x', operations],
    ['application/json; charset=latin1', JSON.stringify({ query })],
  ])(
    'of another type or charset is 415, as are those that other origins may send without a preflight: %s',
    async (type, body) => {
      const request = { headers: { 'content-type': type } }
      const { status, headers } = await service.client.post('/graphql', body, request)
      expect([status, headers.accept]).toEqual([415, 'application/json'])
      expect(await service.countPets()).toBe(0)
    },
  )

  it.each([
    ['application/json; charset="utf-8"', json],
    ['application/json;charset=utf8', json],
    ['application/json;charset=iso-8859-1', json],
    ['*/*;charset=utf8', json],
    ['text/event-stream;charset=utf8', 'text/event-stream'],
    [`${json};q=0.1, ${modern};q=0.9`, modern],
    [`${modern};q=0.1, ${json};q=0.9`, json],
    [`${json};q=0, text/event-stream`, 'text/event-stream'],
  ])('that is executed is answered as the client accepts it: %s', async (accept, type) => {
    const { status, headers, text } = await service.client.post(
      '/graphql',
      { query },
      { headers: { accept } },
    )
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining(type)])
    expect(text).toContain('{"data":{"createPet":')
    await service.client.deletePet(/"id":"(\d+)"/.exec(text)?.[1] ?? '')
  })

  it('by GET is answered with 405', async () => {
    const { status } = await service.client.send(`/graphql?query=${encodeURIComponent(query)}`)
    expect([status, await service.countPets()]).toEqual([405, 0])
  })
})

it('the introspection query of GraphiQL is within the limits', async () => {
  const { data } = await service.client.graphql(
    getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
  )
  expect(data).toHaveProperty('__schema')
})

const repeat = (times: number, text: (index: number) => string) =>
  Array.from({ length: times }, (_, index) => text(index)).join(' ')

it.each([
  ['the body null', 'null'],
  ['a body that is not JSON', '{'],
  ['an empty body', ''],
  ['an array', '[{"query":"{__typename}"}]'],
  ['an unknown operation', { query: 'query a { __typename }', operationName: 'b' }],
  ['a body that is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  [
    'a document of 21 levels',
    {
      query: `{ __type(name: "Pet") { fields { type { ${'ofType { '.repeat(17)} name ${'}'.repeat(17)} } } } }`,
    },
  ],
  [
    'fragments that double, and cost too much',
    {
      query: `{ pets(first: 100) { nodes { ...f0 } } } ${repeat(5, (i) => `fragment f${i} on Pet { ...f${i + 1} ...f${i + 1} }`)} fragment f5 on Pet { id name }`,
    },
  ],
  [
    'introspection with 35 aliases',
    {
      query: `{ __schema { ${repeat(5, (i) => `a${i}: types { ...f }`)} } } fragment f on __Type { ${repeat(6, (i) => `b${i}: name`)} }`,
    },
  ],
])('%s is answered with a code and without internal details', async (_, body) => {
  const response = await service.client.post('/graphql', body)
  expect(response.status, response.text).toBeLessThan(500)
  expect(response.json).toMatchObject({
    errors: [{ message: expect.any(String) as string, extensions: { code: 'INVALID_REQUEST' } }],
  })
  expect(response.text).not.toMatch(/SyntaxError|TypeError|node_modules|\.ts|\.js/)
})
