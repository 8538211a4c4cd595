/** The representations of /; page-routes.test.ts tests what it shares with other pages. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type App, KEY, listen, startApp } from '../../support/app.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'
import { sendRequest } from '../../support/client.ts'

const PATHS = {
  rest: '/v1/pets',
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
  return sendRequest(url, '/', { headers })
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
  const { status, headers, text } = await get(accept === undefined ? {} : { accept })
  expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`])
  expect(headers.vary).toBe('Accept')
  expect(text.startsWith(type === 'text/html' ? '<!doctype html>' : '{')).toBe(true)
})

it('an Accept header that excludes HTML and JSON is answered with 406', async () => {
  const { status, json } = await get({ accept: 'image/png' })
  expect([status, json]).toMatchObject([406, { code: 'NOT_ACCEPTABLE' }])
})

it('the links of the JSON exist, and name GraphiQL', async () => {
  const links = { ...PATHS, graphiql: '/graphql' }
  expect((await get({})).json).toEqual({ name: 'Pet Store', links })
  for (const path of Object.values(links)) {
    const headers = { authorization: `Bearer ${KEY}`, accept: 'application/json' }
    expect([path, (await fetch(new URL(path, shared.url), { headers })).status]).not.toEqual([path, 404])
  }
})

it('the JSON and the page do not name GraphiQL if it is not served', async () => {
  expect((await get({}, { GRAPHIQL: 'false' })).json).toEqual({ name: 'Pet Store', links: PATHS })
  const page = await get({ accept: 'text/html' }, { GRAPHIQL: 'false' })
  expect(page.text).not.toMatch(/GraphiQL|href="\.\/graphql"/)
})

it('the links of the JSON and the commands of the page have the address in BASE_URL', async () => {
  const env = { BASE_URL: 'https://pets.example/shop/v1' }
  const { links } = (await get({}, env)).json as { links: Record<string, string> }
  expect(links).toMatchObject({
    rest: 'https://pets.example/shop/v1/pets',
    graphiql: 'https://pets.example/shop/graphql',
  })
  const commands = (await get({ accept: 'text/html' }, env)).text.replaceAll(/<[^>]*>/g, '')
  expect(commands).toContain(`'https://pets.example/shop/v1/pets?limit=3'`)
  expect(commands).toContain(`'https://pets.example/shop/graphql'`)
})

it('a quote and an ampersand in BASE_URL stay what they are in the page, and in a shell', async () => {
  const env = { BASE_URL: `https://pets.example/it's&lt;/v1` }
  const { text } = await get({ accept: 'text/html' }, env)
  const origin = String.raw`https://pets.example/it'\''s&amp;lt;`
  expect(text).toContain(`curl '<span data-origin>${origin}</span>/v1/pets?limit=3`)
})

it('the page links to everything in the JSON that a browser can show, and advertises no deprecated operation', async () => {
  const { text } = await get({ accept: 'text/html' })
  for (const path of [PATHS.docs, PATHS.graphql, PATHS.contract, PATHS.readiness])
    expect(text).toContain(`href=".${path}"`)
  // A browser sends no key with a link.
  expect(text).not.toContain(`href=".${PATHS.sdl}"`)
  expect(text).toMatch(new RegExp(`curl '[^']*${PATHS.sdl}'`))
  expect(text).not.toMatch(/getPet|v1\/pets\/|get a pet/i)
})

const TRUSTED_ONLY = { TRUSTED_DOCUMENTS: 'm.json', TRUSTED_DOCUMENTS_ONLY: 'true' }

it.each([
  ['any server', {}, true],
  ['a server that runs only trusted documents', TRUSTED_ONLY, false],
])('on %s, the page sends documents of its own, and offers others: %s', async (_, env, expected) => {
  const { text } = await get({ accept: 'text/html' }, env)
  expect([text.includes('id="pets"'), text.includes('/pets.js')]).toEqual([expected, expected])
  expect(text).toContain('id="key-form"')
  const commands = text.replaceAll(/<[^>]*>/g, '')
  expect(commands).toContain(`/v1/pets?limit=3'`)
  expect(commands).toContain(`${PATHS.sdl}'`)
  expect([commands.includes(`${PATHS.graphql}'`), text.includes('GraphiQL')]).toEqual([expected, expected])
})

it('where only trusted documents run, the page of an unknown path promises no list, and GraphiQL is not served', async () => {
  const { url } = await listen(createFakeDatabase(), { GRAPHIQL: 'true', ...TRUSTED_ONLY })
  const { text } = await sendRequest(url, '/unknown', { headers: { accept: 'text/html' } })
  expect(text).toContain('<a href=".">Home page</a>')
  expect(text).not.toMatch(/>Pets<|GraphiQL/)
  const { headers } = await sendRequest(url, PATHS.graphql, { headers: { accept: 'text/html' } })
  expect(headers['content-type']).not.toMatch('text/html')
})
