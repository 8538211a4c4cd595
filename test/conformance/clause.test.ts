import { expect, it } from 'vitest'
import {
  type Check,
  isErrorOf,
  isFilteredBy,
  isListUpTo,
  isOrderedById,
  isPageOf,
  isPet,
  isSamePet,
  type Pet,
} from './clause.ts'
import { parseJson } from './exchange.ts'

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' }
const max: Pet = { id: 2n, name: 'Max', categoryId: 7n }
const many = Array.from({ length: 150 }, (_, index): Pet => ({ ...rex, id: BigInt(index) }))
const inventory = (...pets: Pet[]) => ({ pets, created: [] })
const unknown = { pets: 'unknown', created: [] } as const
const error = { code: 'X', message: '', status: 404n }
const soldOf100 = isFilteredBy('sold')(inventory(...many.slice(0, 99), { ...max, id: -1n }))

it.each<[string, Check, unknown, string | null]>([
  ['a pet', isPet, rex, null],
  ['a pet', isPet, max, null],
  ['a pet', isPet, { ...rex, colour: 'red' }, null],
  ['a pet', isPet, [rex], 'expected a pet'],
  ['a pet', isPet, { ...rex, id: '1' }, 'expected id to be an int64, got "1"'],
  ['a pet', isPet, { ...rex, id: parseJson('9223372036854775808') }, 'expected id to be an int64'],
  ['a pet', isPet, { ...rex, name: null }, 'expected name to be a string, got null'],
  ['a pet', isPet, { id: 1n, name: 'Rex' }, 'expected categoryId to be an int64, got nothing'],
  ['a pet', isPet, { ...rex, status: 'lost' }, 'available, pending, sold, or absent, got "lost"'],
  ['a pet', isPet, { ...rex, status: null }, 'expected status'],
  ['an error', isErrorOf(404), { ...error, more: 1 }, null],
  ['an error', isErrorOf(404), { ...error, code: 7n }, 'code of the Error body to be a string, got 7'],
  [
    'an error',
    isErrorOf(404),
    { code: 'X', status: 404n },
    'message of the Error body to be a string, got nothing',
  ],
  ['an error', isErrorOf(404), { ...error, status: 400n }, 'status of the Error body to be 404, got 400'],
  ['an error', isErrorOf(404), { ...error, status: '404' }, 'got "404"'],
  ['an error', isErrorOf(404), 'X', 'expected an Error body, got "X"'],
  ['the same pet', isSamePet(max), max, null],
  ['the same pet', isSamePet(max), { ...max, categoryId: 8n }, 'expected categoryId to be 7, got 8'],
  ['the same pet', isSamePet(max), { ...max, status: 'sold' }, 'expected no status, got "sold"'],
  ['a list of up to 2', isListUpTo(2), [], null],
  ['a list of up to 2', isListUpTo(2), [rex, max], null],
  ['a list of up to 2', isListUpTo(2), { pets: [] }, 'expected an array of pets, got {"pets":[]}'],
  ['a list of up to 2', isListUpTo(2), [rex, rex], 'expected unique ids, got 1 twice'],
  ['a list of up to 2', isListUpTo(2), [rex, max, many[3]], 'expected 2 pets at most, got 3'],
  ['a list of up to 2', isListUpTo(2), [rex, {}], 'expected id'],
  ['a page of 20 of 2', isPageOf(20)(inventory(rex, max)), [rex], 'expected 2 pets, got 1'],
  ['a page of 20 of 150', isPageOf(20)(inventory(...many)), many.slice(0, 20), null],
  ['a page of 20 of 150', isPageOf(20)(inventory(...many)), many.slice(0, 21), '20 pets at most, got 21'],
  ['a page of 2 of unknown pets', isPageOf(2)(unknown), [], null],
  ['a page of 2 of unknown pets', isPageOf(2)(unknown), many, 'expected 2 pets at most'],
  ['the sold of 2', isFilteredBy('sold')(inventory(rex, max)), [rex], null],
  ['the sold of 2', isFilteredBy('sold')(inventory(rex, max)), [], 'expected pet 1 to be listed'],
  ['the sold of 2', isFilteredBy('sold')(inventory(rex, max)), [rex, max], 'got pet 2, status nothing'],
  ['the sold of 2', isFilteredBy('sold')(inventory(rex, max)), [rex, many[3]], 'expected 1 pets, got 2'],
  ['the sold of a full page', soldOf100, many.slice(50, 149), null],
  ['the sold of a full page', soldOf100, many.slice(0, 9), 'expected 99 pets at least, got 9'],
  ['in order of id', isOrderedById, [rex, max], null],
  ['in order of id', isOrderedById, [max, rex], 'expected ascending ids, got 1 after 2'],
])('the check for %s says what is wrong: %o, %o: %s', (_, check, value, problem) => {
  expect(check(value)).toEqual(problem === null ? null : expect.stringContaining(problem))
})
