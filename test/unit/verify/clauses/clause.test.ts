import { describe, expect, it } from 'vitest'
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
} from '../../../../src/verify/clauses/clause.ts'
import { parseJson } from '../../../../src/verify/exchange.ts'

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' }
const max: Pet = { id: 2n, name: 'Max', categoryId: 7n }
const many = Array.from({ length: 150 }, (_, index): Pet => ({ ...rex, id: BigInt(index) }))
const inventory = (...pets: Pet[]) => ({ pets, created: [] })
const unknown = { pets: 'unknown', created: [] } as const

describe.each<[string, Check, [unknown, string | null][]]>([
  [
    'a pet',
    isPet,
    [
      [rex, null],
      [max, null],
      [{ ...rex, colour: 'red' }, null],
      [[rex], 'expected a pet'],
      [{ ...rex, id: '1' }, 'expected id to be an int64, got "1"'],
      [parseJson('{"id":9223372036854775808,"name":"Rex","categoryId":7}'), 'expected id to be an int64'],
      [{ ...rex, name: null }, 'expected name to be a string, got null'],
      [{ id: 1n, name: 'Rex' }, 'expected categoryId to be an int64, got nothing'],
      [
        { ...rex, status: 'lost' },
        'expected status to be one of available, pending, sold, or absent, got "lost"',
      ],
      [{ ...rex, status: ['sold'] }, 'expected status'],
      [{ ...rex, status: null }, 'expected status'],
    ],
  ],
  [
    'an error',
    isErrorOf(404),
    [
      [parseJson('{"code":"X","message":"","status":404}'), null],
      [parseJson('{"code":"X","message":"","status":404,"more":1}'), null],
      [
        parseJson('{"code":7,"message":"","status":404}'),
        'expected code of the Error body to be a string, got 7',
      ],
      [
        parseJson('{"code":"X","status":404}'),
        'expected message of the Error body to be a string, got nothing',
      ],
      [
        parseJson('{"code":"X","message":"","status":400}'),
        'expected status of the Error body to be 404, got 400',
      ],
      [parseJson('{"code":"X","message":"","status":"404"}'), 'got "404"'],
      ['X', 'expected an Error body, got "X"'],
    ],
  ],
  [
    'the same pet',
    isSamePet(max),
    [
      [max, null],
      [{ ...max, categoryId: 8n }, 'expected categoryId to be 7, got 8'],
      [{ ...max, status: 'sold' }, 'expected no status, got "sold"'],
    ],
  ],
  [
    'a list of up to 2',
    isListUpTo(2),
    [
      [[], null],
      [[rex, max], null],
      [{ pets: [] }, 'expected an array of pets, got {"pets":[]}'],
      [[rex, rex], 'expected unique ids, got 1 twice'],
      [[rex, max, many[3]], 'expected 2 pets at most, got 3'],
      [[rex, {}], 'expected id'],
    ],
  ],
  [
    'a page of 20 of 2',
    isPageOf(20)(inventory(rex, max)),
    [
      [[rex, max], null],
      [[rex], 'expected 2 pets, got 1'],
    ],
  ],
  [
    'a page of 20 of 150',
    isPageOf(20)(inventory(...many)),
    [
      [many.slice(0, 20), null],
      [many.slice(0, 21), 'expected 20 pets at most, got 21'],
    ],
  ],
  [
    'a page of 2 of unknown pets',
    isPageOf(2)(unknown),
    [
      [[], null],
      [many, 'expected 2 pets at most'],
    ],
  ],
  [
    'those of 2 that are sold',
    isFilteredBy('sold')(inventory(rex, max)),
    [
      [[rex], null],
      [[], 'expected pet 1 to be listed'],
      [[rex, max], 'expected only pets that are sold, got pet 2, status nothing'],
      [[rex, many[3]], 'expected 1 pets, got 2'],
    ],
  ],
  [
    'those of more than a page that are sold',
    isFilteredBy('sold')(inventory(...many.slice(0, 99), { ...max, id: -1n })),
    [
      [many.slice(50, 149), null],
      [many.slice(0, 9), 'expected 99 pets at least, got 9'],
    ],
  ],
  [
    'in order of id',
    isOrderedById,
    [
      [[rex, max], null],
      [[max, rex], 'expected ascending ids, got 1 after 2'],
    ],
  ],
])('the check for %s', (_, check, cases) => {
  it.each(cases)('a check says what is wrong with a value: %o: %s', (value, problem) => {
    expect(check(value)).toEqual(problem === null ? null : expect.stringContaining(problem))
  })
})
