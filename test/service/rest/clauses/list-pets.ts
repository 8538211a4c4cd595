import { expect } from 'vitest'
import type { Clause } from './clause.ts'

// prettier-ignore
export const listPetsClauses: Clause[] = [
  { id: 'LIST-01', says: 'a list is a JSON array', path: '/v1/pets', status: 200, body: expect.any(Array), headers: { 'content-type': 'application/json; charset=utf-8' } },
  { id: 'LIST-02', says: 'the default of limit is 20', path: '/v1/pets', status: 200, body: expect.objectContaining({ length: 20 }) },
  { id: 'LIST-03', says: 'limit may be 1', path: '/v1/pets?limit=1', status: 200, body: expect.objectContaining({ length: 1 }) },
  { id: 'LIST-04', says: 'limit may be 100', path: '/v1/pets?limit=100', status: 200, body: expect.objectContaining({ length: 25 }) },
  { id: 'LIST-05', says: 'limit must not be less than 1', path: '/v1/pets?limit=0', status: 400, code: 'INVALID_VALUE', names: ['limit', 'integer from 1 to 100'] },
  { id: 'LIST-06', says: 'limit must not be more than 100', path: '/v1/pets?limit=101', status: 400, code: 'INVALID_VALUE', names: ['limit'] },
  ...['-1', 'ten', '', '1.0', '1e1', '0x10', '%205', '5%20', '+5', '05', '1&limit=2', '99999999999999999999', '%zz', '５'].map(
    (limit, index): Clause => ({
      id: `LIST-07.${index + 1}`,
      says: `limit must be an integer in decimal digits, not ${JSON.stringify(limit)}`,
      path: `/v1/pets?limit=${limit.replace('５', '%EF%BC%95')}`,
      status: 400,
      code: 'INVALID_VALUE',
      names: ['limit'],
    }),
  ),
  { id: 'LIST-08', says: 'pets are listed in the order of their creation', path: '/v1/pets?limit=100', status: 200, bodyOf: (pets) => pets },
  ...['available', 'pending', 'sold'].map(
    (status, index): Clause => ({
      id: `LIST-09.${index + 1}`,
      says: `status=${status} lists only pets with this status`,
      path: `/v1/pets?limit=100&status=${status}`,
      status: 200,
      bodyOf: (pets) => pets.filter((pet) => pet.status === status),
    }),
  ),
  ...['', 'lost', 'AVAILABLE', 'available&status=sold', 'available%00', 'null'].map(
    (status, index): Clause => ({
      id: `LIST-10.${index + 1}`,
      says: `status must be a PetStatus, not ${JSON.stringify(status)}`,
      path: `/v1/pets?status=${status}`,
      status: 400,
      code: 'INVALID_VALUE',
      names: ['status', 'available, pending, sold'],
    }),
  ),
  { id: 'LIST-11', says: 'the error names all invalid parameters', path: '/v1/pets?status=lost&limit=0', status: 400, code: 'INVALID_VALUE', names: ['status', 'limit'] },
  { id: 'LIST-12', says: 'unknown parameters are ignored', path: '/v1/pets?limit=2&colour=red', status: 200, body: expect.objectContaining({ length: 2 }) },
  { id: 'LIST-13', says: 'after must be a cursor', path: '/v1/pets?after=zzz', status: 400, code: 'INVALID_VALUE', names: ['after', 'cursor'] },
  { id: 'LIST-14', says: 'the last page has no link to a next page', path: '/v1/pets?limit=100', status: 200, headers: { link: '</v1/pets?limit=100>; rel="first"' } },
  { id: 'LIST-15', says: 'the link to the next page keeps limit and status', path: '/v1/pets?limit=2&status=sold', status: 200, headers: { link: expect.stringMatching(/^<\/v1\/pets\?limit=2&status=sold>; rel="first", <\/v1\/pets\?limit=2&status=sold&after=[\w-]+>; rel="next"$/) } },
  { id: 'LIST-16', says: 'HEAD is GET without the body', path: '/v1/pets', request: { method: 'HEAD' }, status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
]
