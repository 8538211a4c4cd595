/** Which key a page begins with, and when it asks for another. */
import { beforeEach, expect, it } from 'vitest'
import { isBearerToken } from '../../../../src/config/api-keys-config.ts'
import { answerRequests, createErrorResponse, loadScript } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/key/api-key.js')

const PAGE_KEY = 'key-of-the-page'
let script: Script
/** Answers the check of a key. */
let answer: () => Response | Promise<Response>

beforeEach(async () => {
  answer = () => createErrorResponse('UNAUTHORIZED')
  answerRequests(() => answer())
  script = (await loadScript('pages/assets/key/api-key.js')) as Script
})

it.each([
  ['a key that writes', () => Response.json({ data: { __typename: 'Mutation' } }), 'write'],
  ['a read-only key', () => createErrorResponse('FORBIDDEN'), 'read'],
  ['a key, while the database is away', () => createErrorResponse('DATABASE_UNAVAILABLE'), 'unknown'],
  ['a key, while the server is overloaded', () => createErrorResponse('OVERLOADED'), 'unknown'],
  ['a key, where only trusted documents run', () => createErrorResponse('DOCUMENT_NOT_TRUSTED'), 'unknown'],
])('a page begins with %s', async (_, check, scope) => {
  script.storeKey('key-of-the-tab')
  answer = check
  expect(await script.findKey(PAGE_KEY)).toEqual({ key: { token: 'key-of-the-tab', scope }, problem: '' })
})

it.each([
  ['cannot be reached', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['limits requests', () => createErrorResponse('RATE_LIMITED')],
])('a page keeps the key of the tab while the server %s', async (_, check) => {
  script.storeKey('key-of-the-tab')
  answer = check
  const key = { token: 'key-of-the-tab', scope: 'unknown' }
  expect(await script.findKey(PAGE_KEY)).toEqual({ key, problem: '' })
  expect(await script.findKey(null)).toEqual({ key, problem: '' })
})

it.each([
  ['that the server rejects', 'key-of-the-tab', 'It is UNAUTHORIZED.'],
  ['that no header can have', 'ключ', 'An API key contains only letters, digits and -._~+/=.'],
  ['that a shell would run', 'key$(id)', 'An API key contains only letters, digits and -._~+/=.'],
])('a page takes its own key, or none, in place of one %s', async (_, token, problem) => {
  script.storeKey(token)
  expect(await script.findKey(PAGE_KEY)).toEqual({ key: { token: PAGE_KEY, scope: 'read' }, problem: '' })
  expect(await script.findKey(null)).toEqual({ key: null, problem })
})

it('a key in the address is taken only if it is none that a shell would run; the address forgets both', async () => {
  for (const [key, kept] of [
    ['pets_key-1', 'pets_key-1'],
    ['key$(id)', null],
    ['key`id`', null],
  ] as const) {
    sessionStorage.clear()
    history.replaceState(null, '', `/#key=${key}`)
    expect(script.takeKeyFromAddress()).toBe(true)
    expect([sessionStorage.getItem('pet-store:api-key'), location.hash]).toEqual([kept, ''])
  }
})

it('a page asks the server about exactly the keys that a server can have', async () => {
  answer = () => Response.json({ data: { __typename: 'Mutation' } })
  const ascii = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code))
  for (const character of [...ascii, 'é', 'к'])
    for (const token of [character, `key${character}`, `${character}key`, `key${character}=`]) {
      const isAccepted = !((await script.examine(token)) instanceof Error)
      expect([token, isAccepted]).toEqual([token, isBearerToken(token)])
    }
})

it('without a key of the tab, a page begins with its own, or none', async () => {
  expect(await script.findKey(PAGE_KEY)).toEqual({ key: { token: PAGE_KEY, scope: 'read' }, problem: '' })
  expect(await script.findKey(null)).toEqual({ key: null, problem: '' })
})

it('a new key replaces each one that Scalar has kept', () => {
  for (const name of ['scalar-reference-auth-a', 'other', 'scalar-reference-auth-b'])
    sessionStorage.setItem(name, 'old')
  script.storeKey('new')
  const names = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index))
  expect(names).toEqual(['other', 'pet-store:api-key'])
})
