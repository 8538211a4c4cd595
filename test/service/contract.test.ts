/** The contract, clause by clause. An id, once given, stays with its clause. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestRequest, TestResponse } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

interface Clause {
  id: string
  says: string
  path: string | (() => string)
  request?: TestRequest
  status: number
  /** Expected of an error. */
  code?: string
  /** Expected to be in the message of an error. */
  names?: string[]
  headers?: Record<string, unknown>
  /** Expected of the body; a function is asked when the fixtures are there. */
  body?: unknown
}

interface Pet {
  id: number
  name: string
  categoryId: number
  status?: string
}

let service: TestService
/** 25 animals in the order of their creation: every fifth without a status. */
const pets: Pet[] = []

beforeAll(async () => {
  service = await startService()
  await service.clear()
  const statuses = ['available', 'pending', 'sold', 'available', undefined]
  for (let index = 0; index < 25; index += 1) {
    const body = { name: `Pet ${index}`, categoryId: index % 3, status: statuses[index % 5] }
    const { json } = await service.client.send('/v1/pets', { method: 'POST', body })
    pets.push(json as Pet)
  }
})
afterAll(() => service.stop())

const post = (body: unknown, rest: TestRequest = {}): TestRequest => ({ method: 'POST', body, ...rest })
const anyPet = { name: 'Rex', categoryId: 7 }
const createdId = expect.any(Number) as number

// prettier-ignore
const listClauses: Clause[] = [
  { id: 'LIST-01', says: 'a list is a JSON array', path: '/v1/pets', status: 200, body: expect.any(Array), headers: { 'content-type': 'application/json; charset=utf-8' } },
  { id: 'LIST-02', says: 'limit is 20 when it is not given', path: '/v1/pets', status: 200, body: expect.objectContaining({ length: 20 }) },
  { id: 'LIST-03', says: 'limit may be 1', path: '/v1/pets?limit=1', status: 200, body: expect.objectContaining({ length: 1 }) },
  { id: 'LIST-04', says: 'limit may be 100', path: '/v1/pets?limit=100', status: 200, body: expect.objectContaining({ length: 25 }) },
  { id: 'LIST-05', says: 'limit is not below 1', path: '/v1/pets?limit=0', status: 400, code: 'INVALID_VALUE', names: ['limit', 'integer from 1 to 100'] },
  { id: 'LIST-06', says: 'limit is not above 100', path: '/v1/pets?limit=101', status: 400, code: 'INVALID_VALUE', names: ['limit'] },
  ...['-1', 'ten', '', '1.0', '1e1', '0x10', '%205', '5%20', '+5', '05', '1&limit=2', '99999999999999999999', '%zz', '５'].map(
    (limit, index): Clause => ({
      id: `LIST-07.${index + 1}`,
      says: `limit is an integer, and ${JSON.stringify(limit)} is none`,
      path: `/v1/pets?limit=${limit.replace('５', '%EF%BC%95')}`,
      status: 400,
      code: 'INVALID_VALUE',
      names: ['limit'],
    }),
  ),
  { id: 'LIST-08', says: 'the order is that of creation', path: '/v1/pets?limit=100', status: 200, body: () => pets },
  ...['available', 'pending', 'sold'].map(
    (status, index): Clause => ({
      id: `LIST-09.${index + 1}`,
      says: `status=${status} restricts the list to it`,
      path: `/v1/pets?limit=100&status=${status}`,
      status: 200,
      body: () => pets.filter((pet) => pet.status === status),
    }),
  ),
  ...['', 'lost', 'AVAILABLE', 'available&status=sold', 'available%00', 'null'].map(
    (status, index): Clause => ({
      id: `LIST-10.${index + 1}`,
      says: `status is a PetStatus, and ${JSON.stringify(status)} is none`,
      path: `/v1/pets?status=${status}`,
      status: 400,
      code: 'INVALID_VALUE',
      names: ['status', 'available, pending, sold'],
    }),
  ),
  { id: 'LIST-11', says: 'both faults are named', path: '/v1/pets?status=lost&limit=0', status: 400, code: 'INVALID_VALUE', names: ['status', 'limit'] },
  { id: 'LIST-12', says: 'unknown parameters are ignored', path: '/v1/pets?limit=2&colour=red', status: 200, body: expect.objectContaining({ length: 2 }) },
  { id: 'LIST-13', says: 'a malformed cursor is refused', path: '/v1/pets?after=zzz', status: 400, code: 'INVALID_VALUE', names: ['after', 'cursor'] },
  { id: 'LIST-14', says: 'the last page has no next one', path: '/v1/pets?limit=100', status: 200, headers: { link: '</v1/pets?limit=100>; rel="first"' } },
  { id: 'LIST-15', says: 'the next page keeps limit and filter', path: '/v1/pets?limit=2&status=sold', status: 200, headers: { link: expect.stringMatching(/^<\/v1\/pets\?limit=2&status=sold>; rel="first", <\/v1\/pets\?limit=2&status=sold&after=[\w-]+>; rel="next"$/) } },
  { id: 'LIST-16', says: 'HEAD is GET without the body', path: '/v1/pets', request: { method: 'HEAD' }, status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
]

// prettier-ignore
const createClauses: Clause[] = [
  { id: 'CREATE-01', says: 'the created animal comes back with its id', path: '/v1/pets', request: post({ ...anyPet, status: 'sold' }), status: 201, body: { id: createdId, ...anyPet, status: 'sold' } },
  { id: 'CREATE-02', says: 'status is optional, and stays unset', path: '/v1/pets', request: post(anyPet), status: 201, body: { id: createdId, ...anyPet } },
  { id: 'CREATE-03', says: 'name is required', path: '/v1/pets', request: post({ categoryId: 7 }), status: 400, code: 'INVALID_VALUE', names: ['name', 'a string'] },
  { id: 'CREATE-04', says: 'categoryId is required', path: '/v1/pets', request: post({ name: 'Rex' }), status: 400, code: 'INVALID_VALUE', names: ['categoryId', 'integer'] },
  { id: 'CREATE-05', says: 'both are named when both are missing', path: '/v1/pets', request: post({}), status: 400, code: 'INVALID_VALUE', names: ['name', 'categoryId'] },
  ...[null, 5, true, ['Rex'], {}].map(
    (name, index): Clause => ({ id: `CREATE-06.${index + 1}`, says: `name is a string, and ${JSON.stringify(name)} is none`, path: '/v1/pets', request: post({ ...anyPet, name }), status: 400, code: 'INVALID_VALUE', names: ['name'] }),
  ),
  ...['null', '"7"', 'true', '[7]', '7.5', '1e-1', '9223372036854775808', '-9223372036854775809', '1e400'].map(
    (categoryId, index): Clause => ({ id: `CREATE-07.${index + 1}`, says: `categoryId is an int64, and ${categoryId} is none`, path: '/v1/pets', request: post(`{"name":"Rex","categoryId":${categoryId}}`), status: 400, code: 'INVALID_VALUE', names: ['categoryId', 'integer'] }),
  ),
  ...[null, '', 'lost', 'SOLD', 1, ['sold']].map(
    (status, index): Clause => ({ id: `CREATE-08.${index + 1}`, says: `status is a PetStatus, and ${JSON.stringify(status)} is none`, path: '/v1/pets', request: post({ ...anyPet, status }), status: 400, code: 'INVALID_VALUE', names: ['status', 'available, pending, sold'] }),
  ),
  ...['[]', 'null', '"x"', '5'].map(
    (body, index): Clause => ({ id: `CREATE-09.${index + 1}`, says: `the body is an object, and ${body} is none`, path: '/v1/pets', request: post(body), status: 400, code: 'INVALID_VALUE', names: ['body', 'object'] }),
  ),
  ...['', '{', '{"name":"Rex","categoryId":7,}', "{'name':1}", '{"name":"Rex","categoryId":07}', '{"name":"Rex","categoryId":NaN}'].map(
    (body, index): Clause => ({ id: `CREATE-10.${index + 1}`, says: `the body is JSON, and ${JSON.stringify(body)} is none`, path: '/v1/pets', request: post(body), status: 400, code: 'INVALID_REQUEST', names: ['JSON'] }),
  ),
  { id: 'CREATE-11', says: 'a body is required', path: '/v1/pets', request: { method: 'POST' }, status: 400, code: 'INVALID_VALUE', names: ['body'] },
  { id: 'CREATE-12', says: 'unknown fields are ignored, id among them', path: '/v1/pets', request: post('{"name":"Rex","categoryId":7,"id":-5,"colour":"red","__proto__":{"status":"sold"}}'), status: 201, body: { id: expect.not.toBeOneOf([-5]), ...anyPet } },
  { id: 'CREATE-13', says: 'U+0000 in a name is refused', path: '/v1/pets', request: post({ ...anyPet, name: 'a\0b' }), status: 400, code: 'INVALID_VALUE', names: ['name', 'U+0000'] },
  { id: 'CREATE-14', says: 'a lone surrogate in a name is refused', path: '/v1/pets', request: post('{"name":"\\ud800","categoryId":7}'), status: 400, code: 'INVALID_VALUE', names: ['name', 'surrogate'] },
  { id: 'CREATE-15', says: 'any other text is kept exactly', path: '/v1/pets', request: post({ ...anyPet, name: ' \u0001é̈🐶\u2028"\\\n' }), status: 201, body: { id: createdId, ...anyPet, name: ' \u0001é̈🐶\u2028"\\\n' } },
  { id: 'CREATE-16', says: 'an empty name is a string', path: '/v1/pets', request: post({ ...anyPet, name: '' }), status: 201, body: { id: createdId, ...anyPet, name: '' } },
  { id: 'CREATE-17', says: 'what is no UTF-8 is refused', path: '/v1/pets', request: post(Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('","categoryId":7}')])), status: 400, code: 'INVALID_REQUEST', names: ['UTF-8'] },
  { id: 'CREATE-18', says: 'a media type is case-insensitive and may have parameters', path: '/v1/pets', request: post(anyPet, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }), status: 201 },
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'application/jsonp', 'json'].map(
    (type, index): Clause => ({ id: `CREATE-19.${index + 1}`, says: `${type} is not supported`, path: '/v1/pets', request: post(anyPet, { headers: { 'content-type': type } }), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' }),
  ),
  { id: 'CREATE-23', says: 'a compressed body is not supported', path: '/v1/pets', request: post(anyPet, { headers: { 'content-encoding': 'gzip' } }), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  { id: 'CREATE-20', says: 'a body beyond 64 KiB is too large', path: '/v1/pets', request: post({ ...anyPet, name: 'x'.repeat(64 * 1024) }), status: 413, code: 'PAYLOAD_TOO_LARGE' },
  { id: 'CREATE-21', says: 'a body just below 64 KiB is not', path: '/v1/pets', request: post({ ...anyPet, name: 'x'.repeat(64 * 1024 - 40) }), status: 201 },
  { id: 'CREATE-22', says: 'a body nested too deeply is refused', path: '/v1/pets', request: post('['.repeat(60_000)), status: 400, code: 'INVALID_REQUEST' },
]

// prettier-ignore
const getClauses: Clause[] = [
  { id: 'GET-01', says: 'an animal is fetched by its id', path: () => `/v1/pets/${pets[0]?.id}`, status: 200, body: () => pets[0] },
  { id: 'GET-02', says: 'an animal without a status has no status', path: () => `/v1/pets/${pets[4]?.id}`, status: 200, body: () => pets[4] },
  { id: 'GET-03', says: 'an unknown id is not found', path: '/v1/pets/999999999', status: 404, code: 'PET_NOT_FOUND' },
  ...['abc', '1.0', '1e0', '0x1', '%201', '+1', '01', '9223372036854775808', '-9223372036854775809', '1'.repeat(5000), '%F0%9F%90%B6', '%00', 'null', '1;x'].map(
    (id, index): Clause => ({ id: `GET-04.${index + 1}`, says: `what is no int64 names no animal: ${id.slice(0, 20)}`, path: `/v1/pets/${id}`, status: 404, code: 'PET_NOT_FOUND' }),
  ),
  ...['0', '-1', '9223372036854775807', '-9223372036854775808'].map(
    (id, index): Clause => ({ id: `GET-05.${index + 1}`, says: `an int64 that no animal has is not found: ${id}`, path: `/v1/pets/${id}`, status: 404, code: 'PET_NOT_FOUND' }),
  ),
  { id: 'GET-06', says: 'it announces its end on success', path: () => `/v1/pets/${pets[0]?.id}`, status: 200, headers: { deprecation: '@1795132800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', link: '</v1/pets>; rel="successor-version", </docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html"' } },
  { id: 'GET-07', says: 'it announces its end on failure', path: '/v1/pets/0', status: 404, headers: { deprecation: '@1795132800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' } },
  { id: 'GET-08', says: 'HEAD is GET without the body', path: () => `/v1/pets/${pets[0]?.id}`, request: { method: 'HEAD' }, status: 200 },
]

const operations: { id: string; path: string; request: TestRequest }[] = [
  { id: 'listPets', path: '/v1/pets', request: {} },
  { id: 'createPet', path: '/v1/pets', request: post(anyPet) },
  { id: 'getPet', path: '/v1/pets/1', request: {} },
  { id: 'HEAD of listPets', path: '/v1/pets', request: { method: 'HEAD' } },
  { id: 'HEAD of getPet', path: '/v1/pets/1', request: { method: 'HEAD' } },
]
const challenge = 'Bearer realm="pet-store"'
const invalidToken = `${challenge}, error="invalid_token"`

const keyClauses: Clause[] = operations.flatMap(({ id, path, request }, operation) =>
  [
    { says: 'no key', request: { key: null }, challenge },
    { says: 'an unknown key', request: { key: 'wrong' }, challenge: invalidToken },
    { says: 'a key that begins like a valid one', request: { key: 'test-secre' }, challenge: invalidToken },
    {
      says: 'a key that goes on after a valid one',
      request: { key: 'test-secrets' },
      challenge: invalidToken,
    },
    { says: 'the name of a key', request: { key: 'test' }, challenge: invalidToken },
    { says: 'an empty key', request: { headers: { authorization: 'Bearer ' }, key: null }, challenge },
    {
      says: 'another scheme',
      request: { headers: { authorization: 'Basic dGVzdC1zZWNyZXQ=' }, key: null },
      challenge,
    },
    { says: 'a bare key', request: { headers: { authorization: 'test-secret' }, key: null }, challenge },
    {
      says: 'a key and more',
      request: { headers: { authorization: 'Bearer test-secret x' }, key: null },
      challenge: invalidToken,
    },
  ].map((variant, index): Clause => ({
    id: `KEY-${operation + 1}.${index + 1}`,
    says: `${id} refuses ${variant.says}`,
    path,
    request: { ...request, ...variant.request },
    status: 401,
    ...(request.method !== 'HEAD' && { code: 'UNAUTHORIZED' }),
    headers: { 'www-authenticate': variant.challenge },
  })),
)

// prettier-ignore
const orderClauses: Clause[] = [
  { id: 'ORDER-01', says: '401 comes before 405', path: '/v1/pets', request: { method: 'DELETE', key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-02', says: '401 comes before 415', path: '/v1/pets', request: { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' }, key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-03', says: '401 comes before 413', path: '/v1/pets', request: { method: 'POST', body: 'x'.repeat(2_000_000), key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-04', says: '401 comes before 400', path: '/v1/pets?limit=0', request: { key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-05', says: '401 comes before 404', path: '/v1/pets/abc', request: { key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-06', says: '401 comes before 406', path: '/v1/pets', request: { headers: { accept: 'text/html' }, key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-07', says: '405 comes before 415', path: '/v1/pets', request: { method: 'PUT', body: 'x', headers: { 'content-type': 'text/plain' } }, status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'GET, HEAD, OPTIONS, POST' } },
  { id: 'ORDER-08', says: '406 comes before 400', path: '/v1/pets?limit=0', request: { headers: { accept: 'text/html' } }, status: 406, code: 'NOT_ACCEPTABLE' },
  { id: 'ORDER-09', says: '415 comes before 413', path: '/v1/pets', request: { method: 'POST', body: 'x'.repeat(2_000_000), headers: { 'content-type': 'text/plain' } }, status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  { id: 'ORDER-10', says: 'an encoded path needs a key as well', path: '/%76%31/pets', request: { key: null }, status: 401, code: 'UNAUTHORIZED' },
]

// prettier-ignore
const pathClauses: Clause[] = [
  ...['/', '/v1', '/v1/', '/v1/pets/', '/v1/pets/1/', '/v1//pets', '/V1/pets', '/v1/Pets', '/v2/pets', '/pets', '/v1/store/orders', '/v1/pets/1/2', '/graphql/', '/.env'].map(
    (path, index): Clause => ({ id: `PATH-01.${index + 1}`, says: `there is nothing at ${path}`, path, status: 404, code: 'NOT_FOUND' }),
  ),
  ...['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'].map(
    (method, index): Clause => ({ id: `PATH-02.${index + 1}`, says: `${method} is no method of /v1/pets`, path: '/v1/pets', request: { method }, status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'GET, HEAD, OPTIONS, POST' } }),
  ),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map(
    (method, index): Clause => ({ id: `PATH-03.${index + 1}`, says: `${method} is no method of /v1/pets/{petId}`, path: '/v1/pets/1', request: { method }, status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'GET, HEAD, OPTIONS' } }),
  ),
  ...['/v1/pets/%zz', '/%', '/v1/%E0%A4%A'].map(
    (path, index): Clause => ({ id: `PATH-04.${index + 1}`, says: `${path} is malformed`, path, status: 400, code: 'INVALID_REQUEST' }),
  ),
  ...['application/json', 'application/json; charset=utf-8', 'application/json;v="1";q=0.5', '*/*', 'application/*', 'text/html, application/json;q=0.1', ''].map(
    (accept, index): Clause => ({ id: `PATH-05.${index + 1}`, says: `Accept: ${accept} admits JSON`, path: '/v1/pets', request: { headers: { accept } }, status: 200 }),
  ),
  ...['text/html', 'application/xml', 'application/json;q=0'].map(
    (accept, index): Clause => ({ id: `PATH-06.${index + 1}`, says: `Accept: ${accept} does not`, path: '/v1/pets', request: { headers: { accept } }, status: 406, code: 'NOT_ACCEPTABLE' }),
  ),
]

const publicClauses: Clause[] = [
  { id: 'OPEN-01', says: 'the process lives', path: '/healthz', status: 200, body: { status: 'ok' } },
  { id: 'OPEN-02', says: 'the process can serve', path: '/readyz', status: 200, body: { status: 'ready' } },
  {
    id: 'OPEN-03',
    says: 'the contract is published',
    path: '/v1/openapi.json',
    status: 200,
    body: openApi('/v1'),
  },
].map((clause) => ({ ...clause, request: { key: null } }))

function openApi(url: string): unknown {
  return expect.objectContaining({ openapi: '3.1.0', servers: [{ url, description: 'Production' }] })
}

describe.each([
  { operation: 'listPets', clauses: listClauses },
  { operation: 'createPet', clauses: createClauses },
  { operation: 'getPet', clauses: getClauses },
  { operation: 'authentication', clauses: keyClauses },
  { operation: 'the order of checks', clauses: orderClauses },
  { operation: 'paths and methods', clauses: pathClauses },
  { operation: 'what needs no key', clauses: publicClauses },
])('$operation', ({ clauses }) => {
  it.each(clauses)('$id: $says', async (clause) => {
    const path = typeof clause.path === 'function' ? clause.path() : clause.path
    const before = await countPets()
    const response = await service.client.send(path, clause.request)

    expect(response.status, response.text).toBe(clause.status)
    if (clause.headers) expect(pick(response, Object.keys(clause.headers))).toEqual(clause.headers)
    expect(response.headers['x-request-id']).toMatch(/^[\w-]+$/)
    const body = typeof clause.body === 'function' ? (clause.body as () => unknown)() : clause.body
    if (body !== undefined) expect(response.json).toEqual(body)
    if (clause.code !== undefined) {
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(response.json).toEqual({
        code: clause.code,
        message: expect.any(String) as string,
        status: clause.status,
      })
      const { message } = response.json as { message: string }
      for (const name of clause.names ?? []) expect(message).toContain(name)
    }
    if (clause.request?.method === 'HEAD') expect(response.text).toBe('')
    expect(await countPets()).toBe(before + (response.status === 201 ? 1 : 0))
  })
})

it('walks all pages, each animal once, while others are added', async () => {
  const seen: number[] = []
  let path: string | undefined = '/v1/pets?limit=7'
  const { json: everything } = await service.client.send('/v1/pets?limit=100')
  while (path !== undefined) {
    const { json, headers } = await service.client.send(path)
    seen.push(...(json as Pet[]).map((pet) => pet.id))
    const link = Array.isArray(headers.link) ? headers.link[0] : headers.link
    path = /<([^<>]*)>; rel="next"/.exec(link ?? '')?.[1]
    if (seen.length < 20) await service.client.send('/v1/pets', post({ name: 'late', categoryId: 1 }))
  }
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
  expect(seen).toEqual(expect.arrayContaining((everything as Pet[]).map((pet) => pet.id)))
})

it('has unique ids for its clauses', () => {
  const all = [
    listClauses,
    createClauses,
    getClauses,
    keyClauses,
    orderClauses,
    pathClauses,
    publicClauses,
  ].flat()
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
})

async function countPets(): Promise<number> {
  const [row] = await service.sql<{ count: string }[]>`select count(*) from pets`
  return Number(row?.count)
}

function pick({ headers }: TestResponse, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, headers[name]]))
}
