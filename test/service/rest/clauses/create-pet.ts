import { expect } from 'vitest'
import { anyPet, type Clause, post } from './clause.ts'

const createdId = expect.any(Number) as number

// prettier-ignore
export const createPetClauses: Clause[] = [
  { id: 'CREATE-01', says: 'the response has the created pet and its id', path: '/v1/pets', request: post({ ...anyPet, status: 'sold' }), status: 201, body: { id: createdId, ...anyPet, status: 'sold' } },
  { id: 'CREATE-02', says: 'status is optional, and stays unset', path: '/v1/pets', request: post(anyPet), status: 201, body: { id: createdId, ...anyPet } },
  { id: 'CREATE-03', says: 'name is required', path: '/v1/pets', request: post({ categoryId: 7 }), status: 400, code: 'INVALID_VALUE', names: ['name', 'a string'] },
  { id: 'CREATE-04', says: 'categoryId is required', path: '/v1/pets', request: post({ name: 'Rex' }), status: 400, code: 'INVALID_VALUE', names: ['categoryId', 'integer'] },
  { id: 'CREATE-05', says: 'the error names all missing fields', path: '/v1/pets', request: post({}), status: 400, code: 'INVALID_VALUE', names: ['name', 'categoryId'] },
  ...[null, 5, true, ['Rex'], {}].map(
    (name, index): Clause => ({ id: `CREATE-06.${index + 1}`, says: `name must be a string, not ${JSON.stringify(name)}`, path: '/v1/pets', request: post({ ...anyPet, name }), status: 400, code: 'INVALID_VALUE', names: ['name'] }),
  ),
  ...['null', '"7"', 'true', '[7]', '7.5', '1e-1', '9223372036854775808', '-9223372036854775809', '1e400'].map(
    (categoryId, index): Clause => ({ id: `CREATE-07.${index + 1}`, says: `categoryId must be an int64, not ${categoryId}`, path: '/v1/pets', request: post(`{"name":"Rex","categoryId":${categoryId}}`), status: 400, code: 'INVALID_VALUE', names: ['categoryId', 'integer'] }),
  ),
  ...[null, '', 'lost', 'SOLD', 1, ['sold']].map(
    (status, index): Clause => ({ id: `CREATE-08.${index + 1}`, says: `status must be a PetStatus, not ${JSON.stringify(status)}`, path: '/v1/pets', request: post({ ...anyPet, status }), status: 400, code: 'INVALID_VALUE', names: ['status', 'available, pending, sold'] }),
  ),
  ...['[]', 'null', '"x"', '5'].map(
    (body, index): Clause => ({ id: `CREATE-09.${index + 1}`, says: `the body must be an object, not ${body}`, path: '/v1/pets', request: post(body), status: 400, code: 'INVALID_VALUE', names: ['body', 'object'] }),
  ),
  ...['', '{', '{"name":"Rex","categoryId":7,}', "{'name':1}", '{"name":"Rex","categoryId":07}', '{"name":"Rex","categoryId":NaN}'].map(
    (body, index): Clause => ({ id: `CREATE-10.${index + 1}`, says: `the body must be JSON, not ${JSON.stringify(body)}`, path: '/v1/pets', request: post(body), status: 400, code: 'INVALID_REQUEST', names: ['JSON'] }),
  ),
  { id: 'CREATE-11', says: 'a body is required', path: '/v1/pets', request: { method: 'POST' }, status: 400, code: 'INVALID_VALUE', names: ['body'] },
  { id: 'CREATE-12', says: 'unknown fields are ignored, including id', path: '/v1/pets', request: post('{"name":"Rex","categoryId":7,"id":-5,"colour":"red","__proto__":{"status":"sold"}}'), status: 201, body: { id: expect.not.toBeOneOf([-5]), ...anyPet } },
  { id: 'CREATE-13', says: 'name must not contain U+0000', path: '/v1/pets', request: post({ ...anyPet, name: 'a\0b' }), status: 400, code: 'INVALID_VALUE', names: ['name', 'U+0000'] },
  { id: 'CREATE-14', says: 'name must not contain a lone surrogate', path: '/v1/pets', request: post('{"name":"\\ud800","categoryId":7}'), status: 400, code: 'INVALID_VALUE', names: ['name', 'surrogate'] },
  { id: 'CREATE-15', says: 'any other name is kept exactly', path: '/v1/pets', request: post({ ...anyPet, name: ' \u0001é̈🐶\u2028"\\\n' }), status: 201, body: { id: createdId, ...anyPet, name: ' \u0001é̈🐶\u2028"\\\n' } },
  { id: 'CREATE-16', says: 'name may be empty', path: '/v1/pets', request: post({ ...anyPet, name: '' }), status: 201, body: { id: createdId, ...anyPet, name: '' } },
  { id: 'CREATE-17', says: 'the body must be UTF-8', path: '/v1/pets', request: post(Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('","categoryId":7}')])), status: 400, code: 'INVALID_REQUEST', names: ['UTF-8'] },
  { id: 'CREATE-18', says: 'the media type is case-insensitive and may have parameters', path: '/v1/pets', request: post(anyPet, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }), status: 201 },
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'application/jsonp', 'json'].map(
    (type, index): Clause => ({ id: `CREATE-19.${index + 1}`, says: `the media type ${type} is not supported`, path: '/v1/pets', request: post(anyPet, { headers: { 'content-type': type } }), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' }),
  ),
  { id: 'CREATE-23', says: 'a compressed body is not supported', path: '/v1/pets', request: post(anyPet, { headers: { 'content-encoding': 'gzip' } }), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  { id: 'CREATE-20', says: 'a body of more than 64 KiB is too large', path: '/v1/pets', request: post({ ...anyPet, name: 'x'.repeat(64 * 1024) }), status: 413, code: 'PAYLOAD_TOO_LARGE' },
  { id: 'CREATE-21', says: 'a body of just under 64 KiB is accepted', path: '/v1/pets', request: post({ ...anyPet, name: 'x'.repeat(64 * 1024 - 40) }), status: 201 },
  { id: 'CREATE-22', says: 'a body that is nested too deeply is rejected', path: '/v1/pets', request: post('['.repeat(60_000)), status: 400, code: 'INVALID_REQUEST' },
]
