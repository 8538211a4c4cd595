import type { Clause, Pet } from './clause.ts'

const announcement = { deprecation: '@1795132800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }

const pathOfFirst = (pets: Pet[]) => `/v1/pets/${pets[0]?.id}`

// prettier-ignore
export const getPetClauses: Clause[] = [
  { id: 'GET-01', says: 'a pet is fetched by its id', path: pathOfFirst, status: 200, bodyOf: (pets) => pets[0] },
  { id: 'GET-02', says: 'a pet without a status has no field status', path: (pets) => `/v1/pets/${pets[4]?.id}`, status: 200, bodyOf: (pets) => pets[4] },
  { id: 'GET-03', says: 'an unknown id is not found', path: '/v1/pets/999999999', status: 404, code: 'PET_NOT_FOUND' },
  ...['abc', '1.0', '1e0', '0x1', '%201', '+1', '01', '9223372036854775808', '-9223372036854775809', '1'.repeat(5000), '%F0%9F%90%B6', '%00', 'null', '1;x'].map(
    (id, index): Clause => ({ id: `GET-04.${index + 1}`, says: `an id that is not an int64 is not found: ${id.slice(0, 20)}`, path: `/v1/pets/${id}`, status: 404, code: 'PET_NOT_FOUND' }),
  ),
  ...['0', '-1', '9223372036854775807', '-9223372036854775808'].map(
    (id, index): Clause => ({ id: `GET-05.${index + 1}`, says: `an int64 that is no pet's id is not found: ${id}`, path: `/v1/pets/${id}`, status: 404, code: 'PET_NOT_FOUND' }),
  ),
  { id: 'GET-06', says: 'a success announces the deprecation of getPet', path: pathOfFirst, status: 200, headers: { ...announcement, link: '</v1/pets>; rel="successor-version", </docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html"' } },
  { id: 'GET-07', says: 'an error announces the deprecation of getPet', path: '/v1/pets/0', status: 404, headers: announcement },
  { id: 'GET-08', says: 'HEAD is GET without the body', path: pathOfFirst, request: { method: 'HEAD' }, status: 200 },
]
