/** GraphQL over HTTP: methods, media types, status codes, and requests that are not GraphQL. */
import { getIntrospectionQuery } from 'graphql'
import { auditServer } from 'graphql-http'
import { expect, it } from 'vitest'
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

it('variables may be nested to any depth', async () => {
  const body = `{"query":"{__typename}","variables":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`
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
