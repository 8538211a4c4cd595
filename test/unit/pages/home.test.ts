/** The representations of /; pages.test.ts tests what it shares with other pages. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type App, listen, startApp } from '../support/app.ts'
import { createFakeDatabase } from '../support/database.ts'
import { get as request } from '../support/http-get.ts'

const PATHS = {
  rest: '/v1',
  graphql: '/graphql',
  docs: '/docs',
  contract: '/v1/openapi.json',
  sdl: '/schema.graphql',
  health: '/healthz',
  readiness: '/readyz',
}

let shared: App
beforeAll(async () => {
  shared = await startApp(createFakeDatabase(), { GRAPHIQL: 'true' })
})
afterAll(() => shared.close())

/** @param env different settings, for a server of its own */
async function get(headers: Record<string, string>, env?: Record<string, string>) {
  const { url } = env ? await listen(createFakeDatabase(), { GRAPHIQL: 'true', ...env }) : shared
  return request(url, headers)
}

it.each<[string | undefined, string]>([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/*', 'application/json'],
  ['text/html;q=0.5, application/json', 'application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['text/html', 'text/html'],
])('Accept: %s gets %s', async (accept, type) => {
  const { status, headers, body } = await get(accept === undefined ? {} : { accept })
  expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`])
  expect(headers.vary).toBe('Accept, Accept-Encoding')
  expect(body.startsWith(type === 'text/html' ? '<!doctype html>' : '{')).toBe(true)
})

it('an Accept header that excludes both is 406', async () => {
  const { status, body } = await get({ accept: 'image/png' })
  expect([status, JSON.parse(body)]).toMatchObject([406, { code: 'NOT_ACCEPTABLE' }])
})

it.each([
  ['paths', {}, ''],
  ['absolute with BASE_URL', { BASE_URL: 'https://pets.example/shop/v1' }, 'https://pets.example/shop'],
])('the links of the JSON are %s', async (_, env, origin) => {
  const links = Object.entries({ ...PATHS, graphiql: '/graphql' }).map(([name, path]) => [
    name,
    origin + path,
  ])
  expect(JSON.parse((await get({}, env)).body)).toEqual({
    name: 'Pet Store',
    links: Object.fromEntries(links),
  })
})

it('both name GraphiQL only if it is served', async () => {
  expect(JSON.parse((await get({}, { GRAPHIQL: 'false' })).body)).toEqual({ name: 'Pet Store', links: PATHS })
  const page = await get({ accept: 'text/html' }, { GRAPHIQL: 'false' })
  expect(page.body).not.toMatch(/GraphiQL|href="graphql"/)
})

it('the page links to everything in the JSON that a browser can show', async () => {
  const { body } = await get({ accept: 'text/html' })
  for (const path of [PATHS.docs, PATHS.graphql, PATHS.contract, PATHS.readiness])
    expect(body).toContain(`href=".${path}"`)
  // A browser sends no key with a link.
  expect(body).not.toContain(`href=".${PATHS.sdl}"`)
  expect(body).toMatch(new RegExp(`curl '[^']*${PATHS.sdl}'`))
})

it('the page advertises no deprecated operation', async () => {
  const { body } = await get({ accept: 'text/html' })
  expect(body).not.toMatch(/getPet|\/pets\/|get a pet/i)
})

it.each([
  ['any server', {}, true],
  [
    'a server that runs only trusted documents',
    { TRUSTED_DOCUMENTS: 'm.json', TRUSTED_DOCUMENTS_ONLY: 'true' },
    false,
  ],
])('on %s, the page can show pets, if it may run its documents', async (_, env, expected) => {
  const { body } = await get({ accept: 'text/html' }, env)
  expect([body.includes('id="pets"'), body.includes('id="key-form"'), body.includes('/pets-')]).toEqual(
    Array.from({ length: 3 }, () => expected),
  )
})

it('the commands have the address in BASE_URL', async () => {
  const { body } = await get({ accept: 'text/html' }, { BASE_URL: 'https://pets.example/v1' })
  expect(body.replaceAll(/<[^>]*>/g, '')).toContain(`'https://pets.example/v1/pets?limit=3'`)
  expect(body).toContain(`'https://pets.example/graphql'`)
  expect(body).not.toContain('{origin}')
})
