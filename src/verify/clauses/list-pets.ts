import { isFilteredBy, isListUpTo, isOrderedById, isPageOf, isSamePet, STATUSES } from './checks.ts'
import { type Check, type Clause, type Inventory, listKnown, MAX_LIMIT } from './clause.ts'

/** The start of a link to a list; it is relative unless the server has a BASE_URL. */
const LIST = String.raw`<(https?://[^<>]+)?/v1/pets`

/** The same pets in the same order. */
const isSameList =
  ({ pets }: Inventory): Check =>
  (value) => {
    const problem = isListUpTo(MAX_LIMIT)(value)
    if (problem !== null || !Array.isArray(value)) return problem
    if (pets === 'unknown') return null
    if (value.length !== pets.length) return `expected ${pets.length} pets, got ${value.length}`
    return pets.map((pet, index) => isSamePet(pet)(value[index])).find((found) => found !== null) ?? null
  }

// prettier-ignore
export const listPetsClauses: Clause[] = [
  { id: 'LIST-01', says: 'a list is a JSON array of pets', path: '/v1/pets', status: 200, body: isListUpTo(Infinity), headers: { 'content-type': 'application/json; charset=utf-8' } },
  { id: 'LIST-02', says: 'the default of limit is 20', path: '/v1/pets', status: 200, bodyOf: isPageOf(20) },
  { id: 'LIST-03', says: 'limit may be 1', path: '/v1/pets?limit=1', status: 200, bodyOf: isPageOf(1) },
  { id: 'LIST-04', says: 'limit may be 100', path: '/v1/pets?limit=100', status: 200, bodyOf: isPageOf(100) },
  { id: 'LIST-05', isAddition: true, says: 'limit must not be less than 1', path: '/v1/pets?limit=0', status: 400, code: 'INVALID_VALUE', names: ['limit', 'integer from 1 to 100'] },
  { id: 'LIST-06', isAddition: true, says: 'limit must not be more than 100', path: '/v1/pets?limit=101', status: 400, code: 'INVALID_VALUE', names: ['limit'] },
  { id: 'LIST-17', says: 'a list never has more than 100 pets', path: '/v1/pets?limit=101', body: isListUpTo(100) },
  ...['-1', 'ten', '', '1.0', '1e1', '0x10', '%205', '5%20', '+5', '05', '1&limit=2', '99999999999999999999', '%zz', '５'].map(
    (limit, index): Clause => ({
      id: `LIST-07.${index + 1}`,
      isAddition: true,
      says: `limit must be an integer in decimal digits, not ${JSON.stringify(limit)}`,
      path: `/v1/pets?limit=${limit.replace('５', '%EF%BC%95')}`,
      status: 400,
      code: 'INVALID_VALUE',
      names: ['limit'],
    }),
  ),
  { id: 'LIST-08', isAddition: true, says: 'pets are listed by id', path: '/v1/pets?limit=100', status: 200, bodyOf: isSameList, addedBody: isOrderedById },
  ...STATUSES.map(
    (status, index): Clause => ({
      id: `LIST-09.${index + 1}`,
      says: `status=${status} lists the pets with this status, and no others`,
      path: `/v1/pets?limit=100&status=${status}`,
      status: 200,
      bodyOf: isFilteredBy(status),
      addedBody: isOrderedById,
    }),
  ),
  ...['', 'lost', 'AVAILABLE', 'available&status=sold', 'available%00', 'null'].map(
    (status, index): Clause => ({
      id: `LIST-10.${index + 1}`,
      isAddition: true,
      says: `status must be a PetStatus, not ${JSON.stringify(status)}`,
      path: `/v1/pets?status=${status}`,
      status: 400,
      code: 'INVALID_VALUE',
      names: ['status', 'available, pending, sold'],
    }),
  ),
  { id: 'LIST-11', isAddition: true, says: 'the error names all invalid parameters', path: '/v1/pets?status=lost&limit=0', status: 400, code: 'INVALID_VALUE', names: ['status', 'limit'] },
  { id: 'LIST-12', isAddition: true, says: 'unknown parameters are ignored', path: '/v1/pets?limit=2&colour=red', status: 200, bodyOf: isPageOf(2) },
  { id: 'LIST-13', isAddition: true, says: 'after must be a cursor', path: '/v1/pets?after=zzz', status: 400, code: 'INVALID_VALUE', names: ['after', 'cursor'] },
  { id: 'LIST-14', isAddition: true, says: 'the last page has no link to a next page', path: ({ pets }) => pets !== 'unknown' && pets.length < 100 ? '/v1/pets?limit=100' : null, status: 200, headers: { link: RegExp(String.raw`^${LIST}\?limit=100>; rel="first"$`) } },
  { id: 'LIST-15', isAddition: true, says: 'the link to the next page keeps limit and status', path: (inventory) => listKnown(inventory).filter(({ status }) => status === 'sold').length > 2 ? '/v1/pets?limit=2&status=sold' : null, status: 200, headers: { link: RegExp(String.raw`^${LIST}\?limit=2&status=sold>; rel="first", ${LIST}\?limit=2&status=sold&after=[\w-]+>; rel="next"$`) } },
  { id: 'LIST-16', isAddition: true, says: 'HEAD is GET without the body', path: '/v1/pets', request: { method: 'HEAD' }, status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
  { id: 'LIST-18', isAddition: true, says: 'a response has an id', path: '/v1/pets?limit=1', status: 200, headers: { 'x-request-id': /^[\w-]+$/ } },
]
