import { expect, it } from 'vitest'
import { type Clause, isPet } from './clause.ts'
import { describeAdditions, judge } from './exchange.ts'

const inventory = { pets: [], created: [] }
const clause: Clause = {
  id: 'X-01',
  says: 'a key is required',
  path: '/v1/pets',
  status: 401,
  code: 'UNAUTHORIZED',
  names: ['key'],
  headers: { 'www-authenticate': /^Bearer/ },
}
const body = { code: 'UNAUTHORIZED', message: 'A key is required.', status: 401 }
const answer = (status: number, json: unknown, headers: Record<string, string> = {}) => ({
  status,
  headers,
  text: JSON.stringify(json),
})
const challenge = { 'www-authenticate': 'Bearer realm="x"' }

it.each<[string, ReturnType<typeof answer>, string | null, string | null]>([
  ['all', answer(401, body, challenge), null, null],
  ['another status', answer(200, []), 'expected 401, got 200: []', 'expected code'],
  ['no Error body', answer(401, 'no'), 'expected an Error body, got "no"', 'expected code'],
  ['no JSON', { status: 401, headers: {}, text: ' <p>\n ' }, 'expected JSON, got <p>', 'expected code'],
  [
    'another code',
    answer(401, { ...body, code: 'no' }, challenge),
    null,
    'expected code to be UNAUTHORIZED, got "no"',
  ],
  [
    'another message',
    answer(401, { ...body, message: 'No.' }, challenge),
    null,
    'expected message to name key, got "No."',
  ],
  ['no header', answer(401, body), null, 'expected the header www-authenticate to be /^Bearer/, got nothing'],
])('judges the contract and the additions separately: %s', (_, received, contract, added) => {
  const contains = (text: string | null): unknown => (text === null ? null : expect.stringContaining(text))
  expect(judge(clause, received, inventory)).toEqual({ clause: contains(contract), added: contains(added) })
  const addition = judge({ ...clause, isAddition: true }, received, inventory)
  expect(addition).toEqual({ clause: contains(contract ?? added), added: null })
})

it('a clause without a status allows any below 500, and the body of a success or an error is checked', () => {
  const open: Clause = { id: 'X-02', says: 'any', path: '/v1/pets', body: isPet }
  const problemOf = (status: number, json: unknown) => judge(open, answer(status, json), inventory).clause
  expect(problemOf(200, { id: 1, name: 'Rex', categoryId: 1 })).toBeNull()
  expect(problemOf(200, {})).toContain('expected id')
  expect(problemOf(401, body)).toBeNull()
  expect(problemOf(400, body)).toContain('expected status of the Error body')
  expect(problemOf(500, { ...body, status: 500 })).toContain('expected an answer, got 500')
})

it('names the additions to a clause of the contract', () => {
  expect(describeAdditions(clause)).toBe('a key is required (UNAUTHORIZED, www-authenticate)')
  expect(describeAdditions({ ...clause, isAddition: true })).toBeNull()
  expect(describeAdditions({ id: 'X-03', says: '', path: '/v1/pets', status: 200 })).toBeNull()
})
