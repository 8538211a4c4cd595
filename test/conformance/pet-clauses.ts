/** The clauses of the operations on pets. */
import { MAX_INT64, MIN_INT64 } from '../../src/base/int64.ts'
import {
  anyPet,
  both,
  type Check,
  type Clause,
  type Inventory,
  isFilteredBy,
  isListUpTo,
  isOrderedById,
  isPageOf,
  isPet,
  isPetWith,
  isSamePet,
  lacks,
  listKnown,
  MAX_LIMIT,
  type Pet,
  PET_NAME,
  post,
  variants,
} from './clause.ts'

const created = { name: PET_NAME, categoryId: 1n }
const oddName = `${PET_NAME} \u0001é̈🐶\u2028"\\\n`
const path = '/v1/pets'

/** An invalid value: the contract's 400, and what we add to it. */
const invalid = (...names: string[]) => ({ path, status: 400, code: 'INVALID_VALUE', names })
/** A body that is not JSON in UTF-8. */
const malformed = (...names: string[]) => ({ path, status: 400, code: 'INVALID_REQUEST', names })

export const createPetClauses: Clause[] = [
  {
    id: 'CREATE-01',
    says: 'the response has the created pet and its id',
    path,
    request: post({ ...anyPet, status: 'sold' }),
    status: 201,
    body: isPetWith({ ...created, status: 'sold' }),
  },
  {
    id: 'CREATE-02',
    says: 'status is optional',
    path,
    request: post(anyPet),
    status: 201,
    body: isPetWith(created),
    addedBody: lacks('status'),
  },
  {
    id: 'CREATE-03',
    says: 'name is required',
    request: post({ categoryId: 1 }),
    ...invalid('name', 'a string'),
  },
  {
    id: 'CREATE-04',
    says: 'categoryId is required',
    request: post({ name: PET_NAME }),
    ...invalid('categoryId', 'integer'),
  },
  {
    id: 'CREATE-05',
    says: 'the body must not lack all fields',
    request: post({}),
    ...invalid('name', 'categoryId'),
  },
  ...variants(
    { 'CREATE-06.1': null, 'CREATE-06.2': 5, 'CREATE-06.3': true, 'CREATE-06.4': ['Rex'], 'CREATE-06.5': {} },
    (name) => ({
      says: `name must be a string, not ${JSON.stringify(name)}`,
      request: post({ ...anyPet, name }),
      ...invalid('name'),
    }),
  ),
  ...variants(
    {
      'CREATE-07.1': 'null',
      'CREATE-07.2': '"7"',
      'CREATE-07.3': 'true',
      'CREATE-07.4': '[7]',
      'CREATE-07.5': '7.5',
      'CREATE-07.6': '1e-1',
      'CREATE-07.7': '9223372036854775808',
      'CREATE-07.8': '-9223372036854775809',
      'CREATE-07.9': '1e400',
    },
    (categoryId) => ({
      says: `categoryId must be an int64, not ${categoryId}`,
      request: post(`{"name":"${PET_NAME}","categoryId":${categoryId}}`),
      ...invalid('categoryId', 'integer'),
    }),
  ),
  // An explicit null may stand for an absent status elsewhere.
  ...variants(
    {
      'CREATE-08.1': null,
      'CREATE-08.2': '',
      'CREATE-08.3': 'lost',
      'CREATE-08.4': 'SOLD',
      'CREATE-08.5': 1,
      'CREATE-08.6': ['sold'],
    },
    (status) => ({
      ...(status === null && { isAddition: true }),
      says: `status must be a PetStatus, not ${JSON.stringify(status)}`,
      request: post({ ...anyPet, status }),
      ...invalid('status', 'available, pending, sold'),
    }),
  ),
  ...variants(
    { 'CREATE-09.1': '[]', 'CREATE-09.2': 'null', 'CREATE-09.3': '"x"', 'CREATE-09.4': '5' },
    (body) => ({
      says: `the body must be an object, not ${body}`,
      request: post(body),
      ...invalid('body', 'object'),
    }),
  ),
  ...variants(
    {
      'CREATE-10.1': '',
      'CREATE-10.2': '{',
      'CREATE-10.3': '{"name":"Rex","categoryId":7,}',
      'CREATE-10.4': "{'name':1}",
      'CREATE-10.5': '{"name":"Rex","categoryId":07}',
      'CREATE-10.6': '{"name":"Rex","categoryId":NaN}',
    },
    (body) => ({
      says: `the body must be JSON, not ${JSON.stringify(body)}`,
      request: post(body.replace('Rex', PET_NAME)),
      ...malformed('JSON'),
    }),
  ),
  { id: 'CREATE-11', says: 'a body is required', request: { method: 'POST' }, ...invalid('body') },
  {
    id: 'CREATE-12',
    isAddition: true,
    says: 'unknown fields are ignored, including id',
    path,
    request: post(
      `{"name":"${PET_NAME}","categoryId":1,"id":-5,"colour":"red","__proto__":{"status":"sold"}}`,
    ),
    status: 201,
    body: both(
      isPetWith(created),
      (pet) =>
        lacks('colour')(pet) ??
        lacks('status')(pet) ??
        (isPetWith({ id: -5n })(pet) === null ? 'expected another id than -5' : null),
    ),
  },
  {
    id: 'CREATE-13',
    isAddition: true,
    says: 'name must not contain U+0000',
    request: post({ ...anyPet, name: `${PET_NAME}\0` }),
    ...invalid('name', 'U+0000'),
  },
  {
    id: 'CREATE-14',
    isAddition: true,
    says: 'name must not contain a lone surrogate',
    request: post(`{"name":"${PET_NAME}\\ud800","categoryId":1}`),
    ...invalid('name', 'surrogate'),
  },
  {
    id: 'CREATE-15',
    isAddition: true,
    says: 'any other name is kept exactly',
    path,
    request: post({ ...anyPet, name: oddName }),
    status: 201,
    body: isPetWith({ ...created, name: oddName }),
  },
  // It could not be found by its name.
  {
    id: 'CREATE-16',
    isAddition: true,
    isForTests: true,
    says: 'name may be empty',
    path,
    request: post({ ...anyPet, name: '' }),
    status: 201,
    body: isPetWith({ ...created, name: '' }),
  },
  {
    id: 'CREATE-17',
    isAddition: true,
    says: 'the body must be UTF-8',
    request: post(
      Buffer.concat([
        Buffer.from(`{"name":"${PET_NAME}`),
        Buffer.from([0xff]),
        Buffer.from('","categoryId":1}'),
      ]),
    ),
    ...malformed('UTF-8'),
  },
  {
    id: 'CREATE-18',
    isAddition: true,
    says: 'the media type is case-insensitive and may have parameters',
    path,
    request: post(anyPet, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }),
    status: 201,
    body: isPet,
  },
  ...variants({ 'CREATE-27.1': 'latin1', 'CREATE-27.2': '"UTF-16"' }, (charset) => ({
    isAddition: true,
    says: `the body must not be in the charset ${charset}`,
    path,
    request: post(anyPet, { headers: { 'content-type': `application/json; charset=${charset}` } }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  })),
  ...variants(
    {
      'CREATE-19.1': 'text/plain',
      'CREATE-19.2': 'application/x-www-form-urlencoded',
      'CREATE-19.3': 'multipart/form-data; boundary=x',
      'CREATE-19.4': 'application/xml',
      'CREATE-19.5': 'application/jsonp',
      'CREATE-19.6': 'json',
    },
    (type) => ({
      isAddition: true,
      says: `the media type ${type} is not supported`,
      path,
      request: post(anyPet, { headers: { 'content-type': type } }),
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    }),
  ),
  {
    id: 'CREATE-23',
    isAddition: true,
    says: 'a compressed body is not supported',
    path,
    request: post(anyPet, { headers: { 'content-encoding': 'gzip' } }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  // Large requests: another server might store what it should reject.
  {
    id: 'CREATE-20',
    isAddition: true,
    isForTests: true,
    says: 'a body of more than 64 KiB is too large',
    path,
    request: post({ ...anyPet, name: 'x'.repeat(64 * 1024) }),
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
  {
    id: 'CREATE-21',
    isAddition: true,
    isForTests: true,
    says: 'a body of just under 64 KiB is accepted',
    path,
    request: post({ ...anyPet, note: 'x'.repeat(64 * 1024 - 80) }),
    status: 201,
  },
  {
    id: 'CREATE-28',
    isAddition: true,
    isForTests: true,
    says: 'name has at most 1,000 characters',
    request: post({ ...anyPet, name: 'x'.repeat(1_001) }),
    ...invalid('name', '1000'),
  },
  {
    id: 'CREATE-29',
    isAddition: true,
    isForTests: true,
    says: 'name may have 1,000 characters, beyond 16 bits, too',
    path,
    request: post({ ...anyPet, name: '🐶'.repeat(1_000) }),
    status: 201,
    body: isPetWith({ ...created, name: '🐶'.repeat(1_000) }),
  },
  {
    id: 'CREATE-22',
    isAddition: true,
    isForTests: true,
    says: 'a body that is nested too deeply is rejected',
    request: post('['.repeat(60_000)),
    ...malformed(),
  },
  ...variants(
    { 'CREATE-24.1': 2n ** 53n + 1n, 'CREATE-24.2': MAX_INT64, 'CREATE-24.3': MIN_INT64 },
    (categoryId) => ({
      says: `categoryId is an int64, exact to the last digit: ${categoryId}`,
      path,
      request: post(`{"name":"${PET_NAME}","categoryId":${categoryId}}`),
      status: 201,
      body: isPetWith({ name: PET_NAME, categoryId }),
    }),
  ),
  {
    id: 'CREATE-25',
    says: 'name is kept as it was sent',
    path,
    request: post({ ...anyPet, name: `${PET_NAME}: "Zoë" 🐶` }),
    status: 201,
    body: isPetWith({ ...created, name: `${PET_NAME}: "Zoë" 🐶` }),
  },
  {
    id: 'CREATE-26',
    isAddition: true,
    says: 'whatever is accepted, the answer is JSON',
    path,
    request: post(anyPet, { headers: { accept: 'text/html, application/json;q=0' } }),
    status: 201,
    body: isPet,
  },
]

/** The start of a link to a list; it is relative unless the server has a BASE_URL. */
const LIST = String.raw`<(https?://[^<>]+)?/v1/pets`

/** The same pets in the same order. */
const isSameList = ({ pets }: Inventory): Check =>
  isListUpTo(MAX_LIMIT, (found) => {
    if (pets === 'unknown') return null
    if (found.length !== pets.length) return `expected ${pets.length} pets, got ${found.length}`
    return pets.map((pet, index) => isSamePet(pet)(found[index])).find((problem) => problem !== null) ?? null
  })

export const listPetsClauses: Clause[] = [
  {
    id: 'LIST-01',
    says: 'a list is a JSON array of pets',
    path: '/v1/pets',
    status: 200,
    body: isListUpTo(Infinity),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  },
  { id: 'LIST-02', says: 'the default of limit is 20', path: '/v1/pets', status: 200, bodyOf: isPageOf(20) },
  { id: 'LIST-03', says: 'limit may be 1', path: '/v1/pets?limit=1', status: 200, bodyOf: isPageOf(1) },
  { id: 'LIST-04', says: 'limit may be 100', path: '/v1/pets?limit=100', status: 200, bodyOf: isPageOf(100) },
  {
    id: 'LIST-05',
    isAddition: true,
    says: 'limit must not be less than 1',
    path: '/v1/pets?limit=0',
    status: 400,
    code: 'INVALID_VALUE',
    names: ['limit', 'integer from 1 to 100'],
  },
  {
    id: 'LIST-06',
    isAddition: true,
    says: 'limit must not be more than 100',
    path: '/v1/pets?limit=101',
    status: 400,
    code: 'INVALID_VALUE',
    names: ['limit'],
  },
  {
    id: 'LIST-17',
    says: 'a list never has more than 100 pets',
    path: '/v1/pets?limit=101',
    body: isListUpTo(100),
  },
  ...variants(
    {
      'LIST-07.1': '-1',
      'LIST-07.2': 'ten',
      'LIST-07.3': '',
      'LIST-07.4': '1.0',
      'LIST-07.5': '1e1',
      'LIST-07.6': '0x10',
      'LIST-07.7': '%205',
      'LIST-07.8': '5%20',
      'LIST-07.9': '+5',
      'LIST-07.10': '05',
      'LIST-07.11': '1&limit=2',
      'LIST-07.12': '99999999999999999999',
      'LIST-07.13': '%zz',
      'LIST-07.14': '５',
    },
    (limit) => ({
      isAddition: true,
      says: `limit must be an integer in decimal digits, not ${JSON.stringify(limit)}`,
      path: `/v1/pets?limit=${limit.replace('５', '%EF%BC%95')}`,
      status: 400,
      code: 'INVALID_VALUE',
      names: ['limit'],
    }),
  ),
  {
    id: 'LIST-08',
    isAddition: true,
    says: 'pets are listed by id',
    path: '/v1/pets?limit=100',
    status: 200,
    bodyOf: isSameList,
    addedBody: isOrderedById,
  },
  ...variants({ 'LIST-09.1': 'available', 'LIST-09.2': 'pending', 'LIST-09.3': 'sold' }, (status) => ({
    says: `status=${status} lists the pets with this status, and no others`,
    path: `/v1/pets?limit=100&status=${status}`,
    status: 200,
    bodyOf: isFilteredBy(status),
    addedBody: isOrderedById,
  })),
  ...variants(
    {
      'LIST-10.1': '',
      'LIST-10.2': 'lost',
      'LIST-10.3': 'AVAILABLE',
      'LIST-10.4': 'available&status=sold',
      'LIST-10.5': 'available%00',
      'LIST-10.6': 'null',
    },
    (status) => ({
      isAddition: true,
      says: `status must be a PetStatus, not ${JSON.stringify(status)}`,
      path: `/v1/pets?status=${status}`,
      status: 400,
      code: 'INVALID_VALUE',
      names: ['status', 'available, pending, sold'],
    }),
  ),
  {
    id: 'LIST-11',
    isAddition: true,
    says: 'the error names all invalid parameters',
    path: '/v1/pets?status=lost&limit=0',
    status: 400,
    code: 'INVALID_VALUE',
    names: ['status', 'limit'],
  },
  {
    id: 'LIST-12',
    isAddition: true,
    says: 'unknown parameters are ignored',
    path: '/v1/pets?limit=2&colour=red',
    status: 200,
    bodyOf: isPageOf(2),
  },
  {
    id: 'LIST-13',
    isAddition: true,
    says: 'after must be a cursor',
    path: '/v1/pets?after=zzz',
    status: 400,
    code: 'INVALID_VALUE',
    names: ['after', 'cursor'],
  },
  {
    id: 'LIST-14',
    isAddition: true,
    says: 'the last page has no link to a next page',
    path: ({ pets }) => (pets !== 'unknown' && pets.length < 100 ? '/v1/pets?limit=100' : null),
    status: 200,
    headers: { link: RegExp(String.raw`^${LIST}\?limit=100>; rel="first"$`) },
  },
  {
    id: 'LIST-15',
    isAddition: true,
    says: 'the link to the next page keeps limit and status',
    path: (inventory) =>
      listKnown(inventory).filter(({ status }) => status === 'sold').length > 2
        ? '/v1/pets?limit=2&status=sold'
        : null,
    status: 200,
    headers: {
      link: RegExp(
        String.raw`^${LIST}\?limit=2&status=sold>; rel="first", ` +
          String.raw`${LIST}\?limit=2&status=sold&after=[\w-]+>; rel="next"$`,
      ),
    },
  },
  {
    id: 'LIST-16',
    isAddition: true,
    says: 'HEAD is GET without the body',
    path: '/v1/pets',
    request: { method: 'HEAD' },
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  },
  {
    id: 'LIST-18',
    isAddition: true,
    says: 'a response has an id',
    path: '/v1/pets?limit=1',
    status: 200,
    headers: { 'x-request-id': /^[\w-]+$/ },
  },
]

/** Of the deprecation of getPet. */
const announcement = { deprecation: '@1795132800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }
/** Relative, unless the server has a BASE_URL. */
const links = RegExp(
  [
    String.raw`^<(https?:\/\/[^<>]+)?\/v1\/pets>; rel="successor-version"`,
    String.raw`<[^<>]*\/docs>; rel="deprecation"; type="text\/html"`,
    String.raw`<[^<>]*\/docs>; rel="sunset"; type="text\/html"$`,
  ].join(', '),
)

const pathOf = (pet: Pet | undefined) => (pet ? `/v1/pets/${pet.id}` : null)
const first = (inventory: Inventory) => listKnown(inventory)[0]
const pathOfFirst = (inventory: Inventory) => pathOf(first(inventory))
const isThe = (pet: Pet | undefined): Check => (pet ? isSamePet(pet) : isPet)
const withoutStatus = (inventory: Inventory) =>
  listKnown(inventory).find(({ status }) => status === undefined)

export const getPetClauses: Clause[] = [
  {
    id: 'GET-01',
    says: 'a pet is fetched by its id',
    path: pathOfFirst,
    status: 200,
    bodyOf: (inventory) => isThe(first(inventory)),
  },
  {
    id: 'GET-09',
    says: 'a created pet is fetched by its id',
    path: ({ created }) => pathOf(created.at(-1)),
    status: 200,
    bodyOf: ({ created }) => isThe(created.at(-1)),
  },
  {
    id: 'GET-02',
    isAddition: true,
    says: 'a pet without a status has no field status',
    path: (inventory) => pathOf(withoutStatus(inventory)),
    status: 200,
    bodyOf: (inventory) => isThe(withoutStatus(inventory)),
  },
  {
    id: 'GET-03',
    says: 'an unknown id is not found',
    path: '/v1/pets/8999999999999999999',
    status: 404,
    code: 'PET_NOT_FOUND',
  },
  ...variants(
    {
      'GET-04.1': 'abc',
      'GET-04.2': '1.0',
      'GET-04.3': '1e0',
      'GET-04.4': '0x1',
      'GET-04.5': '%201',
      'GET-04.6': '+1',
      'GET-04.7': '01',
      'GET-04.8': '9223372036854775808',
      'GET-04.9': '-9223372036854775809',
      'GET-04.10': '1'.repeat(5000),
      'GET-04.11': '%F0%9F%90%B6',
      'GET-04.12': '%00',
      'GET-04.13': 'null',
      'GET-04.14': '1;x',
      'GET-04.15': '1%0A',
      'GET-04.16': '%E2%80%A8',
    },
    (id) => ({
      isAddition: true,
      says: `an id that is not an int64 is not found: ${id.slice(0, 20)}`,
      path: `/v1/pets/${id}`,
      status: 404,
      code: 'PET_NOT_FOUND',
    }),
  ),
  ...variants(
    {
      'GET-05.1': '0',
      'GET-05.2': '-1',
      'GET-05.3': '9223372036854775807',
      'GET-05.4': '-9223372036854775808',
    },
    (id) => ({
      says: `an int64 that is no pet's id is not found: ${id}`,
      path: (inventory) =>
        listKnown(inventory).some((pet) => String(pet.id) === id) ? null : `/v1/pets/${id}`,
      status: 404,
      code: 'PET_NOT_FOUND',
    }),
  ),
  {
    id: 'GET-06',
    isAddition: true,
    says: 'a success announces the deprecation of getPet',
    path: pathOfFirst,
    status: 200,
    headers: { ...announcement, link: links },
  },
  {
    id: 'GET-07',
    isAddition: true,
    says: 'an error announces the deprecation of getPet',
    path: '/v1/pets/0',
    status: 404,
    headers: announcement,
  },
  {
    id: 'GET-08',
    isAddition: true,
    says: 'HEAD is GET without the body',
    path: pathOfFirst,
    request: { method: 'HEAD' },
    status: 200,
  },
]
