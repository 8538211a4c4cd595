/** The clauses of every path: keys, scopes, the precedence of errors, methods and media types; and of the paths without a key. */
import { isJsonObject } from '../../base/json.ts'
import {
  anyPet,
  type Check,
  type Clause,
  type ClauseRequest,
  type Inventory,
  isListUpTo,
  type Keys,
  listKnown,
  post,
  variants,
} from './clause.ts'

const pathOfFirst = (inventory: Inventory) => `/v1/pets/${listKnown(inventory)[0]?.id ?? 1}`

const operations: { id: string; path: Clause['path']; request: ClauseRequest }[] = [
  { id: 'listPets', path: '/v1/pets', request: {} },
  { id: 'createPet', path: '/v1/pets', request: post(anyPet) },
  { id: 'getPet', path: pathOfFirst, request: {} },
  { id: 'HEAD of listPets', path: '/v1/pets', request: { method: 'HEAD' } },
  { id: 'HEAD of getPet', path: pathOfFirst, request: { method: 'HEAD' } },
]
const challenge = 'Bearer realm="pet-store"'
const invalidToken = `${challenge}, error="invalid_token"`

/** The contract does not say how strictly the header is read, so some are additions. */
interface Credential extends Pick<Clause, 'says' | 'isAddition' | 'needs'> {
  authorization: (keys: Keys) => string | null
  challenge: string
}

// prettier-ignore
const credentials: Credential[] = [
  { says: 'no key', authorization: () => null, challenge },
  { says: 'an unknown key', authorization: () => 'Bearer wrong', challenge: invalidToken },
  { says: 'the beginning of a valid key', authorization: ({ key }) => `Bearer ${key.slice(0, -1)}`, challenge: invalidToken },
  { says: 'a valid key with extra characters', authorization: ({ key }) => `Bearer ${key}s`, challenge: invalidToken },
  { says: 'the name of a key', authorization: ({ keyName }) => `Bearer ${keyName}`, challenge: invalidToken, isAddition: true, needs: 'keyName' },
  { says: 'an empty key', authorization: () => 'Bearer ', challenge },
  { says: 'another scheme', authorization: () => 'Basic dGVzdC1zZWNyZXQ=', challenge },
  { says: 'a key without a scheme', authorization: ({ key }) => key, challenge, isAddition: true },
  { says: 'two words after the scheme', authorization: ({ key }) => `Bearer ${key} x`, challenge: invalidToken, isAddition: true },
]

export const authenticationClauses: Clause[] = operations.flatMap(({ id, path, request }, operation) =>
  credentials.map(({ says, authorization, challenge, ...others }, index): Clause => {
    const isHead = request.method === 'HEAD'
    return {
      id: `KEY-${operation + 1}.${index + 1}`,
      says: `${id} answers 401 to ${says}`,
      ...others,
      ...(isHead && { isAddition: true }),
      path,
      request: { ...request, authorization },
      status: 401,
      ...(!isHead && { code: 'UNAUTHORIZED' }),
      headers: { 'www-authenticate': challenge },
    }
  }),
)

const none = () => null
const large = 'x'.repeat(2_000_000)
const text = { 'content-type': 'text/plain' }

const asReader = (request: ClauseRequest = {}): ClauseRequest => ({
  ...request,
  authorization: ({ readKey }) => `Bearer ${readKey}`,
})
const addition = { path: '/v1/pets', isAddition: true } as const
const scoped = { ...addition, needs: 'readKey' } as const
const forbidden = { status: 403, code: 'FORBIDDEN' }
const unauthorized = { status: 401, code: 'UNAUTHORIZED' }

// prettier-ignore
export const scopeClauses: Clause[] = [
  { id: 'SCOPE-01', ...scoped, says: 'a read key may list pets', request: asReader(), status: 200 },
  { id: 'SCOPE-02', ...scoped, says: 'a read key may get a pet', path: pathOfFirst, request: asReader(), status: 200 },
  { id: 'SCOPE-03', ...scoped, says: 'a read key may ask for the headers alone', request: asReader({ method: 'HEAD' }), status: 200 },
  { id: 'SCOPE-04', ...scoped, says: 'a read key may not create a pet', request: asReader(post(anyPet)), ...forbidden },
  { id: 'SCOPE-05', ...scoped, says: '403 comes before 415', request: asReader(post('x', { headers: text })), ...forbidden },
  { id: 'SCOPE-06', ...scoped, isForTests: true, says: '403 comes before 413', request: asReader(post(large)), ...forbidden },
  { id: 'SCOPE-07', ...scoped, says: '403 comes before 406', request: asReader(post(anyPet, { headers: { accept: 'text/html' } })), ...forbidden },
  { id: 'SCOPE-08', ...scoped, says: '403 comes before 400', request: asReader(post({})), ...forbidden },
  { id: 'SCOPE-09', ...scoped, says: 'a method that no key may use is 405', request: asReader({ method: 'DELETE' }), status: 405, code: 'METHOD_NOT_ALLOWED' },
]

// prettier-ignore
export const precedenceClauses: Clause[] = [
  { id: 'ORDER-01', ...addition, says: '401 comes before 405', request: { method: 'DELETE', authorization: none }, ...unauthorized },
  { id: 'ORDER-02', ...addition, says: '401 comes before 415', request: post('x', { headers: text, authorization: none }), ...unauthorized },
  { id: 'ORDER-03', ...addition, isForTests: true, says: '401 comes before 413', request: post(large, { authorization: none }), ...unauthorized },
  { id: 'ORDER-04', ...addition, says: '401 comes before 400', path: '/v1/pets?limit=0', request: { authorization: none }, ...unauthorized },
  { id: 'ORDER-05', ...addition, says: '401 comes before 404', path: '/v1/pets/abc', request: { authorization: none }, ...unauthorized },
  { id: 'ORDER-06', ...addition, says: '401 comes before 406', request: { headers: { accept: 'text/html' }, authorization: none }, ...unauthorized },
  { id: 'ORDER-07', ...addition, says: '405 comes before 415', request: { method: 'PUT', body: 'x', headers: text }, status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'GET, HEAD, OPTIONS, POST' } },
  { id: 'ORDER-08', ...addition, says: '406 comes before 400', path: '/v1/pets?limit=0', request: { headers: { accept: 'text/html' } }, status: 406, code: 'NOT_ACCEPTABLE' },
  { id: 'ORDER-09', ...addition, isForTests: true, says: '415 comes before 413', request: post(large, { headers: text }), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  { id: 'ORDER-10', ...addition, says: 'a percent-encoded path needs a key as well', path: '/%76%31/pets', request: { authorization: none }, ...unauthorized },
]

const wrongMethod = { isAddition: true, status: 405, code: 'METHOD_NOT_ALLOWED' } as const

// prettier-ignore
export const pathClauses: Clause[] = [
  // PATH-01.1 was `/`, which is a page now.
  ...['/v1', '/v1/', '/v1/pets/', '/v1/pets/1/', '/v1//pets', '/V1/pets', '/v1/Pets', '/v2/pets', '/pets', '/v1/store/orders', '/v1/pets/1/2', '/graphql/', '/.env'].map(
    (path, index): Clause => ({ id: `PATH-01.${index + 2}`, isAddition: true, ...(path === '/.env' && { isForTests: true }), says: `${path} is not found`, path, status: 404, code: 'NOT_FOUND' }),
  ),
  ...variants('PATH-02', ['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'],
    (method) => ({ says: `/v1/pets does not support ${method}`, path: '/v1/pets', request: { method }, ...wrongMethod, headers: { allow: 'GET, HEAD, OPTIONS, POST' } })),
  ...variants('PATH-03', ['POST', 'PUT', 'PATCH', 'DELETE'],
    (method) => ({ isForTests: true, says: `/v1/pets/{petId} does not support ${method}`, path: '/v1/pets/1', request: { method }, ...wrongMethod, headers: { allow: 'GET, HEAD, OPTIONS' } })),
  ...variants('PATH-04', ['/v1/pets/%zz', '/%', '/v1/%E0%A4%A'],
    (path) => ({ isAddition: true, says: `the path ${path} is malformed`, path, status: 400, code: 'INVALID_REQUEST' })),
  ...variants('PATH-05', ['application/json', 'application/json; charset=utf-8', 'application/json;v="1";q=0.5', '*/*', 'application/*', 'text/html, application/json;q=0.1', ''],
    (accept) => ({ isAddition: true, says: `Accept: ${accept} includes JSON`, path: '/v1/pets', request: { headers: { accept } }, status: 200, body: isListUpTo(20) })),
  ...variants('PATH-06', ['text/html', 'application/xml', 'application/json;q=0'],
    (accept) => ({ isAddition: true, says: `Accept: ${accept} excludes JSON`, path: '/v1/pets', request: { headers: { accept } }, status: 406, code: 'NOT_ACCEPTABLE' })),
]

const isStatus =
  (expected: string): Check =>
  (value) =>
    isJsonObject(value) && value.status === expected ? null : `expected status to be ${expected}`

const isContract: Check = (value) => {
  const servers: unknown = isJsonObject(value) && value.openapi === '3.1.0' ? value.servers : undefined
  const urls = Array.isArray(servers) ? servers.map((server: { url?: unknown }) => String(server.url)) : []
  return urls.length > 0 && urls.every((url) => url.endsWith('/v1'))
    ? null
    : 'expected an OpenAPI 3.1.0 document whose servers end in /v1'
}

const open = { isAddition: true, request: { authorization: () => null }, status: 200 } as const

// prettier-ignore
export const publicClauses: Clause[] = [
  { id: 'OPEN-01', ...open, says: '/healthz answers', path: '/healthz', body: isStatus('ok') },
  { id: 'OPEN-02', ...open, says: '/readyz answers', path: '/readyz', body: isStatus('ready') },
  { id: 'OPEN-03', ...open, says: 'the contract is published', path: '/v1/openapi.json', body: isContract },
]
