import { isJsonObject } from '../../base/json.ts'
import { type Check, type Clause, isListUpTo, variants } from './clause.ts'

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
