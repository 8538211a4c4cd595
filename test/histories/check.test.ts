/** The checker with short histories, consistent and contradictory ones; mutants.test.ts has faulty servers, histories.test.ts correct ones. */
import { expect, it } from 'vitest'
import { findContradictions } from './check.ts'
import type { Operation, Page, Pet, Refusal } from './history.ts'

const pet: Pet = { name: 'h1.1.1', categoryId: '1', status: null }
const renamed: Pet = { ...pet, name: 'h1.1.2' }
const other: Pet = { ...pet, name: 'h1.2.3' }

// By client 0, unless another one is named.
const create = (created: Pet, id: string, start: number, end = start + 1): Operation => ({
  ...{ kind: 'create', pet: created, answer: { id } },
  ...{ client: 0, start, end },
})
/** Without an answer, it has no end. */
const rename = (
  start: number,
  answer: Pet | Refusal | null = renamed,
  expected: Partial<Pet> = {},
): Operation => ({
  ...{ kind: 'update', id: '1', patch: { name: renamed.name }, expected, answer },
  ...{ client: 0, start, end: answer === null ? Infinity : start + 1 },
})
const remove = (start: number): Operation => ({
  ...{ kind: 'delete', id: '1', expected: {}, answer: pet },
  ...{ client: 0, start, end: start + 1 },
})
const read = (answer: Pet | 'NOT_FOUND', start: number, client = 1): Operation => ({
  ...{ kind: 'read', id: '1', answer },
  ...{ client, start, end: start + 1 },
})
const list = (pets: Page['pets'], start: number, end = start + 1): Operation => ({
  ...{ kind: 'page', after: '0', filter: {}, answer: { pets, upTo: null } },
  ...{ client: 1, start, end },
})
const count = (answer: number, start: number): Operation => ({
  ...{ kind: 'count', filter: {}, answer },
  ...{ client: 1, start, end: start + 1 },
})

const born = create(pet, '1', 0)
const UNTRUE = /cannot all be true/

it.each<[what: string, history: Operation[], contradiction: RegExp | null]>([
  ['a read shows the last write', [born, rename(2), read(renamed, 4)], null],
  ['a read shows the past', [born, rename(2), read(pet, 4)], UNTRUE],
  ['a read misses a creation', [born, read('NOT_FOUND', 4)], UNTRUE],
  ['a read shows a pet that is deleted', [born, remove(2), read(pet, 4)], UNTRUE],
  ['a read at the time of a write may show it', [born, rename(2), read(renamed, 2)], null],
  ['a read at the time of a write may not show it', [born, rename(2), read(pet, 2)], null],
  [
    'a write without an answer may be seen later',
    [born, rename(2, null), read(pet, 4), read(renamed, 6)],
    null,
  ],
  ['but not unseen again', [born, rename(2, null), read(renamed, 4), read(pet, 6, 2)], UNTRUE],
  ['a repeated creation makes one pet', [born, create(pet, '1', 2)], null],
  ['an idempotency key is forgotten', [born, create(pet, '2', 2)], /was created twice/],
  ['two pets have one id', [born, create(other, '1', 2)], /is both/],
  ['a pet is not as expected', [born, rename(2, 'CONFLICT', { status: 'sold' })], null],
  ['a write although the pet is not as expected', [born, rename(2, renamed, { status: 'sold' })], UNTRUE],
  ['no write although the pet is as expected', [born, rename(2, 'CONFLICT', { status: null })], UNTRUE],
  [
    'a page has every pet',
    [
      born,
      create(other, '2', 2),
      list(
        [
          { id: '1', ...pet },
          { id: '2', ...other },
        ],
        4,
      ),
    ],
    null,
  ],
  ['a page lacks a pet', [born, create(other, '2', 2), list([{ id: '2', ...other }], 4)], UNTRUE],
  [
    'a page shows a later write without an earlier one',
    [
      born,
      rename(2),
      create(other, '2', 4),
      list(
        [
          { id: '1', ...pet },
          { id: '2', ...other },
        ],
        0,
        9,
      ),
    ],
    UNTRUE,
  ],
  ['a count has every pet', [born, count(1, 2)], null],
  ['a count at the time of a creation may have it', [born, create(other, '2', 2), count(2, 2)], null],
  ['a count has a pet twice', [born, count(2, 2)], /2 pets match .* but it must be 1 to 1/],
  ['a read that may be old shows the past', [born, rename(2), { ...read(pet, 4), start: 2.5 }], null],
  ['but not what is older', [born, rename(2), { ...read(pet, 4), start: 3.5 }], UNTRUE],
])('%s', (_, history, contradiction) => {
  const expected = contradiction === null ? [] : [expect.stringMatching(contradiction)]
  expect(findContradictions(history)).toEqual(expected)
})
