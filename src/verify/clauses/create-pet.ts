import { MAX_INT64, MIN_INT64 } from '../../base/int64.ts'
import { both, isPet, isPetWith, lacks } from './checks.ts'
import { anyPet, type Clause, PET_NAME, post } from './clause.ts'

const created = { name: PET_NAME, categoryId: 1n }
const oddName = `${PET_NAME} \u0001é̈🐶\u2028"\\\n`
const path = '/v1/pets'

/** An invalid value: the contract's 400, and what we add to it. */
const invalid = (...names: string[]) => ({ path, status: 400, code: 'INVALID_VALUE', names })
/** A body that is not JSON in UTF-8. */
const malformed = (...names: string[]) => ({ path, status: 400, code: 'INVALID_REQUEST', names })

// prettier-ignore
export const createPetClauses: Clause[] = [
  { id: 'CREATE-01', says: 'the response has the created pet and its id', path, request: post({ ...anyPet, status: 'sold' }), status: 201, body: isPetWith({ ...created, status: 'sold' }) },
  { id: 'CREATE-02', says: 'status is optional', path, request: post(anyPet), status: 201, body: isPetWith(created), addedBody: lacks('status') },
  { id: 'CREATE-03', says: 'name is required', request: post({ categoryId: 1 }), ...invalid('name', 'a string') },
  { id: 'CREATE-04', says: 'categoryId is required', request: post({ name: PET_NAME }), ...invalid('categoryId', 'integer') },
  { id: 'CREATE-05', says: 'the body must not lack all fields', request: post({}), ...invalid('name', 'categoryId') },
  ...[null, 5, true, ['Rex'], {}].map(
    (name, index): Clause => ({ id: `CREATE-06.${index + 1}`, says: `name must be a string, not ${JSON.stringify(name)}`, request: post({ ...anyPet, name }), ...invalid('name') }),
  ),
  ...['null', '"7"', 'true', '[7]', '7.5', '1e-1', '9223372036854775808', '-9223372036854775809', '1e400'].map(
    (categoryId, index): Clause => ({ id: `CREATE-07.${index + 1}`, says: `categoryId must be an int64, not ${categoryId}`, request: post(`{"name":"${PET_NAME}","categoryId":${categoryId}}`), ...invalid('categoryId', 'integer') }),
  ),
  // An explicit null may stand for an absent status elsewhere.
  ...[null, '', 'lost', 'SOLD', 1, ['sold']].map(
    (status, index): Clause => ({ id: `CREATE-08.${index + 1}`, ...(status === null && { isAddition: true }), says: `status must be a PetStatus, not ${JSON.stringify(status)}`, request: post({ ...anyPet, status }), ...invalid('status', 'available, pending, sold') }),
  ),
  ...['[]', 'null', '"x"', '5'].map(
    (body, index): Clause => ({ id: `CREATE-09.${index + 1}`, says: `the body must be an object, not ${body}`, request: post(body), ...invalid('body', 'object') }),
  ),
  ...['', '{', '{"name":"Rex","categoryId":7,}', "{'name':1}", '{"name":"Rex","categoryId":07}', '{"name":"Rex","categoryId":NaN}'].map(
    (body, index): Clause => ({ id: `CREATE-10.${index + 1}`, says: `the body must be JSON, not ${JSON.stringify(body)}`, request: post(body.replace('Rex', PET_NAME)), ...malformed('JSON') }),
  ),
  { id: 'CREATE-11', says: 'a body is required', request: { method: 'POST' }, ...invalid('body') },
  { id: 'CREATE-12', isAddition: true, says: 'unknown fields are ignored, including id', path, request: post(`{"name":"${PET_NAME}","categoryId":1,"id":-5,"colour":"red","__proto__":{"status":"sold"}}`), status: 201, body: both(isPetWith(created), (pet) => lacks('colour')(pet) ?? lacks('status')(pet) ?? (isPetWith({ id: -5n })(pet) === null ? 'expected another id than -5' : null)) },
  { id: 'CREATE-13', isAddition: true, says: 'name must not contain U+0000', request: post({ ...anyPet, name: `${PET_NAME}\0` }), ...invalid('name', 'U+0000') },
  { id: 'CREATE-14', isAddition: true, says: 'name must not contain a lone surrogate', request: post(`{"name":"${PET_NAME}\\ud800","categoryId":1}`), ...invalid('name', 'surrogate') },
  { id: 'CREATE-15', isAddition: true, says: 'any other name is kept exactly', path, request: post({ ...anyPet, name: oddName }), status: 201, body: isPetWith({ ...created, name: oddName }) },
  // It could not be found by its name.
  { id: 'CREATE-16', isAddition: true, isForTests: true, says: 'name may be empty', path, request: post({ ...anyPet, name: '' }), status: 201, body: isPetWith({ ...created, name: '' }) },
  { id: 'CREATE-17', isAddition: true, says: 'the body must be UTF-8', request: post(Buffer.concat([Buffer.from(`{"name":"${PET_NAME}`), Buffer.from([0xff]), Buffer.from('","categoryId":1}')])), ...malformed('UTF-8') },
  { id: 'CREATE-18', isAddition: true, says: 'the media type is case-insensitive and may have parameters', path, request: post(anyPet, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }), status: 201, body: isPet },
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'application/jsonp', 'json'].map(
    (type, index): Clause => ({ id: `CREATE-19.${index + 1}`, isAddition: true, says: `the media type ${type} is not supported`, path, request: post(anyPet, { headers: { 'content-type': type } }), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' }),
  ),
  { id: 'CREATE-23', isAddition: true, says: 'a compressed body is not supported', path, request: post(anyPet, { headers: { 'content-encoding': 'gzip' } }), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  // Large requests: another server might store what it should reject.
  { id: 'CREATE-20', isAddition: true, isForTests: true, says: 'a body of more than 64 KiB is too large', path, request: post({ ...anyPet, name: 'x'.repeat(64 * 1024) }), status: 413, code: 'PAYLOAD_TOO_LARGE' },
  { id: 'CREATE-21', isAddition: true, isForTests: true, says: 'a body of just under 64 KiB is accepted', path, request: post({ ...anyPet, name: 'x'.repeat(64 * 1024 - 40) }), status: 201 },
  { id: 'CREATE-22', isAddition: true, isForTests: true, says: 'a body that is nested too deeply is rejected', request: post('['.repeat(60_000)), ...malformed() },
  ...[2n ** 53n + 1n, MAX_INT64, MIN_INT64].map(
    (categoryId, index): Clause => ({ id: `CREATE-24.${index + 1}`, says: `categoryId is an int64, exact to the last digit: ${categoryId}`, path, request: post(`{"name":"${PET_NAME}","categoryId":${categoryId}}`), status: 201, body: isPetWith({ name: PET_NAME, categoryId }) }),
  ),
  { id: 'CREATE-25', says: 'name is kept as it was sent', path, request: post({ ...anyPet, name: `${PET_NAME}: "Zoë" 🐶` }), status: 201, body: isPetWith({ ...created, name: `${PET_NAME}: "Zoë" 🐶` }) },
]
