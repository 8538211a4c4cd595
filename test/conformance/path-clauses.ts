/**
 * The clauses of every path: keys, scopes, the precedence of errors, methods and media types; and of the paths without
 * a key.
 */
import { isJsonObject } from '../../src/base/json.ts'
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

const operations: { id: string; name: string; path: Clause['path']; request: ClauseRequest }[] = [
  { id: 'KEY-1', name: 'listPets', path: '/v1/pets', request: {} },
  { id: 'KEY-2', name: 'createPet', path: '/v1/pets', request: post(anyPet) },
  { id: 'KEY-3', name: 'getPet', path: pathOfFirst, request: {} },
  { id: 'KEY-4', name: 'HEAD of listPets', path: '/v1/pets', request: { method: 'HEAD' } },
  { id: 'KEY-5', name: 'HEAD of getPet', path: pathOfFirst, request: { method: 'HEAD' } },
]
const challenge = 'Bearer realm="pet-store"'
const invalidToken = `${challenge}, error="invalid_token"`

/** The contract does not say how strictly the header is read, so some are additions. */
interface Credential extends Pick<Clause, 'says' | 'isAddition' | 'needs'> {
  /** The last part of the clauses' ids. */
  id: number
  authorization: (keys: Keys) => string | null
  challenge: string
}

const credentials: Credential[] = [
  { id: 1, says: 'no key', authorization: () => null, challenge },
  { id: 2, says: 'an unknown key', authorization: () => 'Bearer wrong', challenge: invalidToken },
  {
    id: 3,
    says: 'the beginning of a valid key',
    authorization: ({ key }) => `Bearer ${key.slice(0, -1)}`,
    challenge: invalidToken,
  },
  {
    id: 4,
    says: 'a valid key with extra characters',
    authorization: ({ key }) => `Bearer ${key}s`,
    challenge: invalidToken,
  },
  {
    id: 5,
    says: 'the name of a key',
    authorization: ({ keyName }) => `Bearer ${keyName}`,
    challenge: invalidToken,
    isAddition: true,
    needs: 'keyName',
  },
  { id: 6, says: 'an empty key', authorization: () => 'Bearer ', challenge },
  { id: 7, says: 'another scheme', authorization: () => 'Basic dGVzdC1zZWNyZXQ=', challenge },
  { id: 8, says: 'a key without a scheme', authorization: ({ key }) => key, challenge, isAddition: true },
  {
    id: 9,
    says: 'two words after the scheme',
    authorization: ({ key }) => `Bearer ${key} x`,
    challenge: invalidToken,
    isAddition: true,
  },
]

export const authenticationClauses: Clause[] = operations.flatMap((operation) =>
  credentials.map(({ id, says, authorization, challenge, ...others }): Clause => {
    const { name, path, request } = operation
    const isHead = request.method === 'HEAD'
    return {
      id: `${operation.id}.${id}`,
      says: `${name} answers 401 to ${says}`,
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

export const scopeClauses: Clause[] = [
  { id: 'SCOPE-01', ...scoped, says: 'a read key may list pets', request: asReader(), status: 200 },
  {
    id: 'SCOPE-02',
    ...scoped,
    says: 'a read key may get a pet',
    path: pathOfFirst,
    request: asReader(),
    status: 200,
  },
  {
    id: 'SCOPE-03',
    ...scoped,
    says: 'a read key may ask for the headers alone',
    request: asReader({ method: 'HEAD' }),
    status: 200,
  },
  {
    id: 'SCOPE-04',
    ...scoped,
    says: 'a read key may not create a pet',
    request: asReader(post(anyPet)),
    ...forbidden,
  },
  {
    id: 'SCOPE-05',
    ...scoped,
    says: '403 comes before 415',
    request: asReader(post('x', { headers: text })),
    ...forbidden,
  },
  {
    id: 'SCOPE-06',
    ...scoped,
    isForTests: true,
    says: '403 comes before 413',
    request: asReader(post(large)),
    ...forbidden,
  },
  { id: 'SCOPE-08', ...scoped, says: '403 comes before 400', request: asReader(post({})), ...forbidden },
  {
    id: 'SCOPE-09',
    ...scoped,
    says: 'a method that no key may use is 405',
    request: asReader({ method: 'DELETE' }),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
  },
]

export const precedenceClauses: Clause[] = [
  {
    id: 'ORDER-01',
    ...addition,
    says: '401 comes before 405',
    request: { method: 'DELETE', authorization: none },
    ...unauthorized,
  },
  {
    id: 'ORDER-02',
    ...addition,
    says: '401 comes before 415',
    request: post('x', { headers: text, authorization: none }),
    ...unauthorized,
  },
  {
    id: 'ORDER-03',
    ...addition,
    isForTests: true,
    says: '401 comes before 413',
    request: post(large, { authorization: none }),
    ...unauthorized,
  },
  {
    id: 'ORDER-04',
    ...addition,
    says: '401 comes before 400',
    path: '/v1/pets?limit=0',
    request: { authorization: none },
    ...unauthorized,
  },
  {
    id: 'ORDER-05',
    ...addition,
    says: '401 comes before 404',
    path: '/v1/pets/abc',
    request: { authorization: none },
    ...unauthorized,
  },
  {
    id: 'ORDER-07',
    ...addition,
    says: '405 comes before 415',
    request: { method: 'PUT', body: 'x', headers: text },
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    headers: { allow: 'GET, HEAD, OPTIONS, POST' },
  },
  {
    id: 'ORDER-09',
    ...addition,
    isForTests: true,
    says: '415 comes before 413',
    request: post(large, { headers: text }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    id: 'ORDER-10',
    ...addition,
    says: 'a percent-encoded path needs a key as well',
    path: '/%76%31/pets',
    request: { authorization: none },
    ...unauthorized,
  },
]

const wrongMethod = { isAddition: true, status: 405, code: 'METHOD_NOT_ALLOWED' } as const

export const pathClauses: Clause[] = [
  ...variants(
    {
      'PATH-01.2': '/v1',
      'PATH-01.3': '/v1/',
      'PATH-01.4': '/v1/pets/',
      'PATH-01.5': '/v1/pets/1/',
      'PATH-01.6': '/v1//pets',
      'PATH-01.7': '/V1/pets',
      'PATH-01.8': '/v1/Pets',
      'PATH-01.9': '/v2/pets',
      'PATH-01.10': '/pets',
      'PATH-01.11': '/v1/store/orders',
      'PATH-01.12': '/v1/pets/1/2',
      'PATH-01.13': '/graphql/',
      'PATH-01.14': '/.env',
    },
    (path) => ({
      isAddition: true,
      ...(path === '/.env' && { isForTests: true }),
      says: `${path} is not found`,
      path,
      status: 404,
      code: 'NOT_FOUND',
    }),
  ),
  ...variants(
    {
      'PATH-02.1': 'PUT',
      'PATH-02.2': 'PATCH',
      'PATH-02.3': 'DELETE',
      'PATH-02.4': 'PROPFIND',
      'PATH-02.5': 'TRACE',
    },
    (method) => ({
      says: `/v1/pets does not support ${method}`,
      path: '/v1/pets',
      request: { method },
      ...wrongMethod,
      headers: { allow: 'GET, HEAD, OPTIONS, POST' },
    }),
  ),
  ...variants(
    { 'PATH-03.1': 'POST', 'PATH-03.2': 'PUT', 'PATH-03.3': 'PATCH', 'PATH-03.4': 'DELETE' },
    (method) => ({
      isForTests: true,
      says: `/v1/pets/{petId} does not support ${method}`,
      path: '/v1/pets/1',
      request: { method },
      ...wrongMethod,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    }),
  ),
  ...variants({ 'PATH-04.1': '/v1/pets/%zz', 'PATH-04.2': '/%', 'PATH-04.3': '/v1/%E0%A4%A' }, (path) => ({
    isAddition: true,
    says: `the path ${path} is malformed`,
    path,
    status: 400,
    code: 'INVALID_REQUEST',
  })),
  ...variants(
    {
      'PATH-05.1': 'application/json',
      'PATH-05.4': '*/*',
      'PATH-05.6': 'text/html, application/json;q=0.1',
      'PATH-05.7': '',
      'PATH-06.1': 'text/html',
      'PATH-06.2': 'application/xml',
      'PATH-06.3': 'application/json;q=0',
      'PATH-06.4': '*/*;q=0',
      'PATH-06.5': 'no media type',
    },
    (accept) => ({
      isAddition: true,
      says: `whatever is accepted, the answer is JSON: Accept: ${accept}`,
      path: '/v1/pets',
      request: { headers: { accept } },
      status: 200,
      headers: { 'content-type': /^application\/json\b/ },
      body: isListUpTo(20),
    }),
  ),
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

export const publicClauses: Clause[] = [
  { id: 'OPEN-01', ...open, says: '/healthz answers', path: '/healthz', body: isStatus('ok') },
  { id: 'OPEN-02', ...open, says: '/readyz answers', path: '/readyz', body: isStatus('ready') },
  { id: 'OPEN-03', ...open, says: 'the contract is published', path: '/v1/openapi.json', body: isContract },
]
