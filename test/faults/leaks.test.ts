/** The search for leaks finds them. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findLeak } from '../support/leaks.ts'
import { ROOT } from '../support/process.ts'
import { KEY } from '../support/service.ts'

it.each([
  ['a key', `Bearer ${KEY}`],
  ['SQL', 'Failed query: select "id", "name"\nfrom "pets" where "id" = $1'],
  ['SQL', 'INSERT INTO pets (name) VALUES ($1)'],
  ['details of Postgres', '{"severity":"ERROR","detail":"Key (id)=(1) already exists."}'],
  ['a stack', 'Error: x\n    at Pool.query (node:internal/x:1:2)'],
  ['a stack', 'thrown in pool.ts:71'],
  ['a path', join(ROOT, 'dist')],
  ['a path', 'ENOENT: /usr/lib/x'],
])('finds %s: %s', (name, text) => {
  expect(findLeak(`before ${text} after`)).toMatch(new RegExp(`^${name}: `))
})

it.each([
  '{"code":"PET_NOT_FOUND","message":"No pet has this id.","status":404}',
  '{"level":30,"method":"GET","route":"/v1/pets/:petId","status":200,"ms":3,"key":"test","msg":"request"}',
  'Invalid value: "lost" is not a status. Select one of available, pending, sold.',
])('finds nothing in: %s', (text) => {
  expect(findLeak(text)).toBeUndefined()
})
