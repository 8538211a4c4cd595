import { expect } from 'vitest'
import type { Clause } from './clause.ts'

// prettier-ignore
export const pathClauses: Clause[] = [
  ...['/v1', '/v1/', '/v1/pets/', '/v1/pets/1/', '/v1//pets', '/V1/pets', '/v1/Pets', '/v2/pets', '/pets', '/v1/store/orders', '/v1/pets/1/2', '/graphql/', '/.env'].map(
    (path, index): Clause => ({ id: `PATH-01.${index + 1}`, says: `${path} is not found`, path, status: 404, code: 'NOT_FOUND' }),
  ),
  ...['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'].map(
    (method, index): Clause => ({ id: `PATH-02.${index + 1}`, says: `/v1/pets does not support ${method}`, path: '/v1/pets', request: { method }, status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'GET, HEAD, OPTIONS, POST' } }),
  ),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map(
    (method, index): Clause => ({ id: `PATH-03.${index + 1}`, says: `/v1/pets/{petId} does not support ${method}`, path: '/v1/pets/1', request: { method }, status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'GET, HEAD, OPTIONS' } }),
  ),
  ...['/v1/pets/%zz', '/%', '/v1/%E0%A4%A'].map(
    (path, index): Clause => ({ id: `PATH-04.${index + 1}`, says: `the path ${path} is malformed`, path, status: 400, code: 'INVALID_REQUEST' }),
  ),
  ...['application/json', 'application/json; charset=utf-8', 'application/json;v="1";q=0.5', '*/*', 'application/*', 'text/html, application/json;q=0.1', ''].map(
    (accept, index): Clause => ({ id: `PATH-05.${index + 1}`, says: `Accept: ${accept} includes JSON`, path: '/v1/pets', request: { headers: { accept } }, status: 200 }),
  ),
  ...['text/html', 'application/xml', 'application/json;q=0'].map(
    (accept, index): Clause => ({ id: `PATH-06.${index + 1}`, says: `Accept: ${accept} excludes JSON`, path: '/v1/pets', request: { headers: { accept } }, status: 406, code: 'NOT_ACCEPTABLE' }),
  ),
]

const contract = expect.objectContaining({
  openapi: '3.1.0',
  servers: [{ url: '/v1', description: 'Production' }],
}) as unknown

const openPaths: Omit<Clause, 'request'>[] = [
  { id: 'OPEN-01', says: '/healthz answers', path: '/healthz', status: 200, body: { status: 'ok' } },
  { id: 'OPEN-02', says: '/readyz answers', path: '/readyz', status: 200, body: { status: 'ready' } },
  { id: 'OPEN-03', says: 'the contract is published', path: '/v1/openapi.json', status: 200, body: contract },
]
export const publicClauses: Clause[] = openPaths.map((clause) => ({ ...clause, request: { key: null } }))
