/** GraphQL over HTTP: methods, media types, status codes, and requests that are not GraphQL. */
import { getIntrospectionQuery } from 'graphql'
import { auditServer } from 'graphql-http'
import { describe, expect, it } from 'vitest'
import { KEY, useService } from '../../support/service.ts'

const service = useService()
const typename = { method: 'POST', body: { query: '{__typename}' } }

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

it.each([
  ['GET', { method: 'GET' }, '?query={__typename}'],
  ['HEAD', { method: 'HEAD' }, '?query={__typename}'],
  ['POST', typename, ''],
  ['introspection', { method: 'POST', body: { query: '{__schema{queryType{name}}}' } }, ''],
  ['an event stream', { ...typename, headers: { accept: 'text/event-stream' } }, ''],
  ['PUT', { method: 'PUT' }, ''],
  ['a query that accepts HTML', { ...typename, headers: { accept: 'text/html' } }, ''],
])('%s without a key is answered with 401', async (_, request, search) => {
  const response = await service.client.send(`/graphql${search}`, { ...request, key: null })
  expect(response.status).toBe(401)
  expect(response.headers['www-authenticate']).toBe('Bearer realm="pet-store"')
  if (request.method !== 'HEAD')
    expect(response.json).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHORIZED' } }] })
})

it('other methods are answered with 405 and Allow', async () => {
  const { status, headers } = await service.client.send('/graphql', { method: 'DELETE' })
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
})

it('the media type is case-insensitive', async () => {
  const headers = { 'content-type': 'Application/JSON' }
  const { json } = await service.client.send('/graphql', { ...typename, headers })
  expect(json).toEqual({ data: { __typename: 'Query' } })
})

it.each([
  [415, 'to text', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
  [415, 'without a body', { method: 'POST' }],
  [406, 'if the client does not accept JSON', { ...typename, headers: { accept: 'text/plain' } }],
])('%d %s has an error with a code', async (expected, _, request) => {
  const { status, json } = await service.client.send('/graphql', request)
  expect(status).toBe(expected)
  expect(json).toMatchObject({
    errors: [{ message: expect.any(String), extensions: { code: expect.any(String) } }],
  })
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
  ])('is 400 as application/graphql-response+json, and 200 as application/json: %s', async (_, body) => {
    const send = (accept: string) => service.client.post('/graphql', body, { headers: { accept } })
    const [modern, plain] = [await send('application/graphql-response+json'), await send('application/json')]
    expect([modern.status, plain.status]).toEqual([400, 200])
    expect(modern.headers['content-type']).toMatch(/^application\/graphql-response\+json\b/)
    expect(modern.json).not.toHaveProperty('data')
    expect(plain.json).toEqual(modern.json)
  })

  it('is distinguished from an answer whose data are null', async () => {
    const body = { query: '{ pets(first: 101) { totalCount } }' }
    const headers = { accept: 'application/graphql-response+json' }
    const { status, json } = await service.client.post('/graphql', body, { headers })
    expect([status, json]).toMatchObject([200, { data: null }])
  })

  it.each(['application/json', 'application/graphql-response+json', '*/*'])(
    'is 400 if there is no query, whatever the media type: %s',
    async (accept) => {
      for (const body of ['{}', '{"query":null}', '{"variables":{}}', '{"query":null,"operationName":"A"}']) {
        const { status, json } = await service.client.post('/graphql', body, { headers: { accept } })
        expect([status, json]).toMatchObject([400, { errors: [{ extensions: { code: 'INVALID_REQUEST' } }] }])
      }
      expect((await service.client.send('/graphql?variables={}', { headers: { accept } })).status).toBe(400)
    },
  )
})

describe('Accept', () => {
  const [json, modern] = ['application/json', 'application/graphql-response+json']
  it.each([
    [json, json],
    [modern, modern],
    ['*/*', json],
    ['application/*', json],
    [`${json};q=0.5, ${modern}`, modern],
    [`${modern};q=0.5, ${json}`, json],
    [`${modern};q=0.1, ${json};q=0.2`, json],
    [`${json};q=0, */*`, modern],
    [`${json};charset=utf-8;q=0.9, text/html`, json],
    [`text/html;q=0.9, ${modern}`, modern],
    ['APPLICATION/GraphQL-Response+JSON', modern],
    ['multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', json],
    // Too long to be read.
    [`${'a/b,'.repeat(1_000)}text/plain`, json],
  ])('Accept: %s is answered with %s', async (accept, type) => {
    const { status, headers } = await service.client.send('/graphql', { ...typename, headers: { accept } })
    expect([status, headers['content-type']?.replace(/;.*/, '')]).toEqual([200, type])
  })

  it.each([
    `${json};q=0`,
    `${json};q=0, ${modern};q=0.0`,
    '*/*;q=0',
    `text/html, ${json};q=0`,
    'multipart/mixed',
  ])('%s is answered with 406', async (accept) => {
    const response = await service.client.send('/graphql', { ...typename, headers: { accept } })
    expect([response.status, response.json]).toMatchObject([
      406,
      { errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] },
    ])
  })
})

it.each([
  ['gzip', 415],
  ['br, gzip', 415],
  ['Identity', 200],
])('a body with Content-Encoding: %s is answered with %d in both APIs', async (coding, status) => {
  const headers = { 'content-encoding': coding }
  const graphql = await service.client.send('/graphql', { ...typename, headers })
  expect(graphql.status).toBe(status)
  if (status === 415)
    expect(graphql.json).toMatchObject({ errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }] })
  const rest = await service.client.createPet({ name: '' }, { headers })
  expect(rest.status).toBe(status === 415 ? 415 : 400)
})

it.each(['variables={', 'extensions={'])(
  'a parameter that is not JSON is answered with 400: %s',
  async (parameters) => {
    const { status, json } = await service.client.send(`/graphql?query={__typename}&${parameters}`)
    expect([status, json]).toMatchObject([400, { errors: [{ extensions: { code: 'INVALID_REQUEST' } }] }])
  },
)

it.each([
  ['text/plain', (query: string) => JSON.stringify({ query })],
  ['application/x-www-form-urlencoded', (query: string) => `query=${encodeURIComponent(query)}`],
  ['application/graphql', (query: string) => query],
  [
    'multipart/form-data; boundary=x',
    (query: string) =>
      `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query })}\r\n--x--\r\n`,
  ],
])(
  'a content type that pages from other origins may send without a preflight is answered with 415: %s',
  async (type, encode) => {
    const body = encode('mutation { createPet(input: { name: "x", categoryId: 1 }) { id } }')
    const request = { headers: { 'content-type': type } }
    const { status, headers } = await service.client.post('/graphql', body, request)
    expect([status, headers.accept]).toEqual([415, 'application/json'])
    expect(await service.countPets()).toBe(0)
  },
)

it('variables may be nested deeply', async () => {
  const body = `{"query":"{__typename}","variables":{"a":${'['.repeat(990)}${']'.repeat(990)}}}`
  expect((await service.client.post('/graphql', body)).json).toEqual({ data: { __typename: 'Query' } })
})

it('responses are private, and vary by Accept and Authorization', async () => {
  const { headers } = await service.client.send('/graphql', typename)
  expect(headers).toMatchObject({ vary: 'Accept, Authorization', 'cache-control': 'private, no-cache' })
})

it('the introspection query of GraphiQL is within the limits', async () => {
  const { data } = await service.client.graphql(
    getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
  )
  expect(data).toHaveProperty('__schema')
})

it('a mutation by GET is answered with 405', async () => {
  const query = encodeURIComponent('mutation { createPet(input: { name: "x", categoryId: 1 }) { id } }')
  const { status } = await service.client.send(`/graphql?query=${query}`)
  expect(status).toBe(405)
})

it.each([
  ['the body null', 'null'],
  ['a body that is not JSON', '{'],
  ['an empty body', ''],
  ['an array', '[{"query":"{__typename}"}]'],
  ['a body without a query', '{}'],
  ['a syntax error', { query: '{' }],
  ['an unknown field', { query: '{ nothing }' }],
  ['an unknown operation', { query: 'query a { __typename }', operationName: 'b' }],
  ['a body that is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['a very deep document', { query: `{ pets { ${'nodes { '.repeat(3000)} id ${'}'.repeat(3000)} } }` }],
  ['a long comment', { query: `{ __typename } # ${'x'.repeat(20_000)}` }],
  [
    'fragments that double',
    {
      query: `{ pets { nodes { ...f0 } } } ${Array.from({ length: 40 }, (_, i) => `fragment f${i} on Pet { ...f${i + 1} ...f${i + 1} }`).join(' ')} fragment f40 on Pet { id }`,
    },
  ],
  [
    'introspection that multiplies',
    {
      query: `{ __schema { ${Array.from({ length: 30 }, (_, i) => `a${i}: types { ...f }`).join(' ')} } } fragment f on __Type { ${Array.from({ length: 30 }, (_, i) => `b${i}: name`).join(' ')} }`,
    },
  ],
  ['a very long document', { query: `{ ${'__typename '.repeat(5000)} }` }],
])('%s is answered with a code and without internal details', async (_, body) => {
  const response = await service.client.post('/graphql', body)
  expect(response.status, response.text).toBeLessThan(500)
  expect(response.json).toMatchObject({
    errors: [{ message: expect.any(String), extensions: { code: 'INVALID_REQUEST' } }],
  })
  expect(response.text).not.toMatch(/SyntaxError|TypeError|node_modules|\.ts|\.js/)
})

it('a body that is too large is answered with 413', async () => {
  const { status, json } = await service.client.post('/graphql', { query: ' '.repeat(64 * 1024) })
  expect(status).toBe(413)
  expect(json).toMatchObject({ errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] })
})
