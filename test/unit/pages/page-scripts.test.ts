/** What the scripts of pages make of a key, and of what answers their requests, in a browser that keeps no site data. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { PING_INTERVAL_MS } from '../../../src/graphql/live/subscriptions.ts'
import { GRAPHQL_PATH } from '../../../src/http/known-paths.ts'
import { readContract } from '../../../src/rest/contract.ts'

type Scripts = typeof import('../../../src/pages/assets/api-key.js') &
  typeof import('../../../src/pages/assets/graphql.js') &
  typeof import('../../../src/pages/assets/key-entry.js') &
  typeof import('../../../src/pages/assets/scalar-repairs.js') &
  typeof import('../../../src/pages/assets/storage.js')

const PAGE_KEY = 'key-of-the-page'
const QUERY = 'query { a }'
let scripts: Scripts
/** Answers the requests of the scripts. */
let answer: () => Response | Promise<Response>
/** The address of the last one. */
let requested = ''

const load = (file: string) =>
  import(new URL(`../../../src/pages/assets/${file}`, import.meta.url).href) as Promise<Partial<Scripts>>

/** What the browser keeps for the next load of a page. */
const createHistory = (state: unknown = null) => ({
  state,
  replaceState(next: unknown) {
    this.state = next
  },
})

beforeAll(async () => {
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('location', { hash: '', pathname: '/', search: '', reload: () => undefined })
  vi.stubGlobal('history', createHistory())
  vi.stubGlobal('fetch', async (address: string) => {
    requested = address
    return answer()
  })
  const files = ['api-key.js', 'graphql.js', 'key-entry.js', 'scalar-repairs.js', 'storage.js']
  const [key, graphql, entry, repairs, storage] = await Promise.all(files.map(load))
  scripts = { ...key, ...graphql, ...entry, ...repairs, ...storage } as Scripts
})
afterAll(() => {
  vi.unstubAllGlobals()
  for (const name of ['sessionStorage', 'localStorage']) Reflect.deleteProperty(globalThis, name)
})
beforeEach(() => sessionStorage.clear())

const answerWith = (body: unknown, status = 200) => {
  answer = () => Response.json(body, { status })
}
const createError = (code: string) => ({ errors: [{ message: `It is ${code}.`, extensions: { code } }] })
const fail = () => {
  answer = () => {
    throw new TypeError('Failed to fetch')
  }
}
const request = () => scripts.failureOf(scripts.request('key', QUERY, {}))

it('a page gives up a stream only after two pings that have not come', () => {
  expect(scripts.MAX_SILENCE_MS).toBeGreaterThan(2 * PING_INTERVAL_MS)
})

it('requests go to the graph, relative to the page', async () => {
  answerWith({ data: { a: 1 } })
  await request()
  expect(`/${requested}`).toBe(GRAPHQL_PATH)
})

it('the docs page names the only security scheme of the contract', () => {
  const { components } = readContract().document as { components?: { securitySchemes?: object } }
  expect(Object.keys(components?.securitySchemes ?? {})).toEqual([scripts.SECURITY_SCHEME])
})

it('a request has the data of a response', async () => {
  answerWith({ data: { a: 1 } })
  expect(await scripts.request('key', QUERY, {})).toEqual({ a: 1 })
})

it.each([
  ['CONFLICT', false, false],
  ['TIMEOUT', true, true],
  ['DATABASE_UNAVAILABLE', true, true],
  ['RATE_LIMITED', false, true],
  ['OVERLOADED', false, true],
])(
  'after %s, something may have been done: %s; it may succeed in a moment: %s',
  async (code, isUncertain, isTemporary) => {
    answerWith(createError(code))
    expect(await request()).toMatchObject({ code, message: `It is ${code}.`, isUncertain, isTemporary })
  },
)

it.each([
  { message: 'Endpoint request timed out' },
  { code: 'UNAVAILABLE', message: 'The server did not answer.' },
  { errors: [] },
  { errors: ['Bad Gateway'] },
  { data: null },
  null,
])('a response with %j is none of this server', async (body) => {
  answerWith(body, 504)
  expect(await request()).toMatchObject({ code: null, isUncertain: true, isTemporary: true })
})

it('a request that nothing answers has no code', async () => {
  fail()
  expect(await request()).toMatchObject({ code: null, message: 'The server cannot be reached.' })
})

it.each([
  [
    'events that arrive in parts',
    ['event: next\nda', 'ta: {"data":{"a":1}}\n', '\nevent: next\ndata: {"data":{"a":2}}\n\n'],
  ],
  ['a separator of lines in a text', ['data: {"data":{"a":"\u2028"}}\n\n:\n\n']],
])('a subscription has the data of %s', async (_, parts) => {
  const body = new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })
  answer = () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const data: unknown[] = []
  const listener = { onStart: () => undefined, onData: (event: unknown) => data.push(event) }
  await scripts.subscribe('key', QUERY, new AbortController().signal, listener)
  expect(data).toEqual(parts.length > 1 ? [{ a: 1 }, { a: 2 }] : [{ a: '\u2028' }])
})

it.each([
  ['a key that writes', { data: { __typename: 'Mutation' } }, 'write'],
  ['a read-only key', createError('FORBIDDEN'), 'read'],
  ['a key, while the database is away', createError('DATABASE_UNAVAILABLE'), 'unknown'],
])('a page begins with %s', async (_, body, scope) => {
  scripts.storeKey('key-of-the-tab')
  answerWith(body)
  expect(await scripts.findKey(PAGE_KEY)).toEqual({ key: { token: 'key-of-the-tab', scope }, problem: '' })
})

it.each([
  ['cannot be reached', fail],
  ['limits requests', () => answerWith(createError('RATE_LIMITED'))],
])('a page keeps the key of the tab while the server %s', async (_, makeAnswer) => {
  scripts.storeKey('key-of-the-tab')
  makeAnswer()
  const key = { token: 'key-of-the-tab', scope: 'unknown' }
  expect(await scripts.findKey(PAGE_KEY)).toEqual({ key, problem: '' })
  expect(await scripts.findKey(null)).toEqual({ key, problem: '' })
})

it.each([
  ['that the server rejects', 'key-of-the-tab', 'It is UNAUTHORIZED.'],
  ['that no header can have', 'ключ', 'An API key contains only letters, digits and punctuation.'],
])('a page takes its own key, or none, in place of one %s', async (_, token, problem) => {
  scripts.storeKey(token)
  answerWith(createError('UNAUTHORIZED'))
  expect(await scripts.findKey(PAGE_KEY)).toEqual({ key: { token: PAGE_KEY, scope: 'read' }, problem: '' })
  expect(await scripts.findKey(null)).toEqual({ key: null, problem })
})

it('without a key of the tab, a page begins with its own, or none', async () => {
  expect(await scripts.findKey(PAGE_KEY)).toEqual({ key: { token: PAGE_KEY, scope: 'read' }, problem: '' })
  expect(await scripts.findKey(null)).toEqual({ key: null, problem: '' })
})

/** Enters a key. @returns what answers the check of it, and what becomes of it */
function enter(entry: InstanceType<Scripts['KeyEntry']>, token: string) {
  const { promise, resolve } = Promise.withResolvers<Response>()
  answer = () => promise
  const found = entry.enter(token)
  return { found, answerWith: (body: unknown) => resolve(Response.json(body)) }
}
const ACCEPTED = { data: { __typename: 'Mutation' } }
const storedKey = () => sessionStorage.getItem('pet-store:api-key')

it('an entered key is kept if the server accepts it', async () => {
  const entry = new scripts.KeyEntry()
  const wrong = enter(entry, 'wrong')
  wrong.answerWith(createError('UNAUTHORIZED'))
  expect(await wrong.found).toMatchObject({ code: 'UNAUTHORIZED' })
  expect(storedKey()).toBeNull()
  const right = enter(entry, 'right')
  right.answerWith(ACCEPTED)
  expect(await right.found).toEqual({ token: 'right', scope: 'write' })
  expect(storedKey()).toBe('right')
})

it('of two keys that are entered, the later one counts, in whatever order they are answered', async () => {
  const entry = new scripts.KeyEntry()
  const earlier = enter(entry, 'earlier')
  const later = enter(entry, 'later')
  later.answerWith(ACCEPTED)
  expect(await later.found).toMatchObject({ token: 'later' })
  earlier.answerWith(ACCEPTED)
  expect(await earlier.found).toBeNull()
  expect(storedKey()).toBe('later')
})

it('a key that has been given up is not kept', async () => {
  const entry = new scripts.KeyEntry()
  const entered = enter(entry, 'given-up')
  entry.giveUp()
  entered.answerWith(ACCEPTED)
  expect(await entered.found).toBeNull()
  expect(storedKey()).toBeNull()
})

it('a new key replaces each one that Scalar has kept', () => {
  for (const name of ['scalar-reference-auth-a', 'other', 'scalar-reference-auth-b'])
    sessionStorage.setItem(name, 'old')
  scripts.storeKey('new')
  const names = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index))
  expect(names).toEqual(['other', 'pet-store:api-key'])
})

it.each([
  [{ code: 'UNAUTHORIZED', message: 'Of REST.' }, 'Of REST.'],
  [{ errors: [{ message: 'Of GraphQL.', extensions: { code: 'FORBIDDEN' } }] }, 'Of GraphQL.'],
  [{ code: 'PET_NOT_FOUND', message: 'No.' }, undefined],
  [createError('CONFLICT'), undefined],
  [{ errors: [{ message: 'No code.' }] }, undefined],
  [{ errors: [] }, undefined],
  [[{ id: 1 }], undefined],
  ['text', undefined],
  [null, undefined],
])('of a response with %j, the reason to ask for another key is %j', (body, expected) => {
  expect(scripts.findRejection(body)).toBe(expected)
})

it('a page that is loaded again begins with the same key, which the history does not keep', async () => {
  answerWith({ data: { __typename: 'Mutation' } })
  scripts.storeKey('key-of-the-tab')
  scripts.reloadPage()
  vi.stubGlobal('history', createHistory(history.state))
  Reflect.deleteProperty(globalThis, 'sessionStorage')
  await load('storage.js?loaded-again')
  expect(await scripts.findKey(null)).toMatchObject({ key: { token: 'key-of-the-tab' } })
  expect(history.state).toBeNull()
})
