import type { TestRequest } from '../../../support/client.ts'
import { KEY } from '../../../support/service.ts'
import { anyPet, type Clause, post } from './clause.ts'

const operations: { id: string; path: string; request: TestRequest }[] = [
  { id: 'listPets', path: '/v1/pets', request: {} },
  { id: 'createPet', path: '/v1/pets', request: post(anyPet) },
  { id: 'getPet', path: '/v1/pets/1', request: {} },
  { id: 'HEAD of listPets', path: '/v1/pets', request: { method: 'HEAD' } },
  { id: 'HEAD of getPet', path: '/v1/pets/1', request: { method: 'HEAD' } },
]
const challenge = 'Bearer realm="pet-store"'
const invalidToken = `${challenge}, error="invalid_token"`
const withHeader = (authorization: string): TestRequest => ({ headers: { authorization }, key: null })

const credentials: { says: string; request: TestRequest; challenge: string }[] = [
  { says: 'no key', request: { key: null }, challenge },
  { says: 'an unknown key', request: { key: 'wrong' }, challenge: invalidToken },
  { says: 'the beginning of a valid key', request: { key: KEY.slice(0, -1) }, challenge: invalidToken },
  { says: 'a valid key with extra characters', request: { key: `${KEY}s` }, challenge: invalidToken },
  { says: 'the name of a key', request: { key: 'test' }, challenge: invalidToken },
  { says: 'an empty key', request: withHeader('Bearer '), challenge },
  { says: 'another scheme', request: withHeader('Basic dGVzdC1zZWNyZXQ='), challenge },
  { says: 'a key without a scheme', request: withHeader(KEY), challenge },
  { says: 'two words after the scheme', request: withHeader(`Bearer ${KEY} x`), challenge: invalidToken },
]

export const authenticationClauses: Clause[] = operations.flatMap(({ id, path, request }, operation) =>
  credentials.map((variant, index): Clause => ({
    id: `KEY-${operation + 1}.${index + 1}`,
    says: `${id} answers 401 to ${variant.says}`,
    path,
    request: { ...request, ...variant.request },
    status: 401,
    ...(request.method !== 'HEAD' && { code: 'UNAUTHORIZED' }),
    headers: { 'www-authenticate': variant.challenge },
  })),
)

// prettier-ignore
export const precedenceClauses: Clause[] = [
  { id: 'ORDER-01', says: '401 comes before 405', path: '/v1/pets', request: { method: 'DELETE', key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-02', says: '401 comes before 415', path: '/v1/pets', request: { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' }, key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-03', says: '401 comes before 413', path: '/v1/pets', request: { method: 'POST', body: 'x'.repeat(2_000_000), key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-04', says: '401 comes before 400', path: '/v1/pets?limit=0', request: { key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-05', says: '401 comes before 404', path: '/v1/pets/abc', request: { key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-06', says: '401 comes before 406', path: '/v1/pets', request: { headers: { accept: 'text/html' }, key: null }, status: 401, code: 'UNAUTHORIZED' },
  { id: 'ORDER-07', says: '405 comes before 415', path: '/v1/pets', request: { method: 'PUT', body: 'x', headers: { 'content-type': 'text/plain' } }, status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'GET, HEAD, OPTIONS, POST' } },
  { id: 'ORDER-08', says: '406 comes before 400', path: '/v1/pets?limit=0', request: { headers: { accept: 'text/html' } }, status: 406, code: 'NOT_ACCEPTABLE' },
  { id: 'ORDER-09', says: '415 comes before 413', path: '/v1/pets', request: { method: 'POST', body: 'x'.repeat(2_000_000), headers: { 'content-type': 'text/plain' } }, status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  { id: 'ORDER-10', says: 'a percent-encoded path needs a key as well', path: '/%76%31/pets', request: { key: null }, status: 401, code: 'UNAUTHORIZED' },
]
