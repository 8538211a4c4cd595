/** The pages and their files over HTTP; test/tools/pages opens them in a browser. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sendRequest, type TestResponse } from '../../support/client.ts'
import { type App, KEY, startApp } from '../../support/app.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

const READ_KEY = 'the-key-of-the-demo-that-reads'
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
let app: App
let demo: App
beforeAll(async () => {
  app = await startApp(createFakeDatabase(), { GRAPHIQL: 'true' })
  demo = await startApp(createFakeDatabase(), { GRAPHIQL: 'true', CORS_ORIGINS: '*' }, READ_KEY)
})
afterAll(async () => {
  await app.close()
  await demo.close()
})

/** As a browser asks for a page. */
const get = (path: string, headers: Record<string, string> = {}, { url } = app): Promise<TestResponse> =>
  sendRequest(url, path, { headers: { accept: BROWSER, ...headers } })

const PAGES = ['/', '/docs', '/graphql']
/** The styles and scripts of a page. */
const FILES = /"\.(\/files\/[\w/.-]+\.(css|js))"/g

/** What browsers send for one hop only. */
const DIRECT = { connection: 'keep-alive' }
const PROXY_HEADERS = [
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-original-host', 'x-forwarded'],
  ...['for', 'host', 'proto', 'port', 'server', 'prefix'].map((name) => `x-forwarded-${name}`),
]
/** Headers of requests to the demo, and whether its pages have the key that reads in them. PORT stands for its port. */
const REQUESTS: [headers: Record<string, string>, hasKey: boolean][] = [
  // A browser on this machine.
  [{}, true],
  [{ host: 'localhost:PORT' }, true],
  // A page may have pointed such a name at this machine, and a tunnel ends at another port.
  ...[
    ...[
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '0.0.0.0',
      '[::1]',
      '192.0.2.1',
      '',
    ].map((name) => `${name}:PORT`),
    ...['localhost', '127.0.0.1', '127.0.0.1:80', '127.0.0.1:1', 'localhost:'],
  ].map((host): (typeof REQUESTS)[number] => [{ host }, false]),
  ...PROXY_HEADERS.map((name): (typeof REQUESTS)[number] => [{ [name]: '127.0.0.1' }, false]),
  // A proxy that says nothing.
  [{ connection: 'close' }, false],
]
const POLICIES: Record<string, string> = {
  '/': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  '/docs':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  '/graphql':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; worker-src 'self'; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

describe.each(PAGES)('the page at %s', (path) => {
  it('is a small page that runs scripts only from its own files', async () => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICIES[path],
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(text.length).toBeLessThan(10_000)
    expect(text).toContain('<meta name="viewport"')
    const scripts = text.match(/<script[^>]*>/g) ?? []
    expect(scripts.filter((tag) => !/ src="\.\/|type="application\/json"/.test(tag))).toEqual([])
  })

  it('is kept by the browser, which asks whether it has changed', async () => {
    const { headers } = await get(path)
    expect(headers['cache-control']).toBe('private, no-cache')
    const etag = String(headers.etag)
    const again = await get(path, { 'if-none-match': etag })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
    expect((await get(path, { 'if-none-match': '"another"' })).status).toBe(200)
    expect((await get(path, { 'if-match': '"another"' })).status).toBe(412)
  })

  it.each(REQUESTS)(
    'on the demo, has the read-only key for a request with %j: %s',
    async (headers, hasKey) => {
      const { host = `127.0.0.1:PORT` } = headers
      const allHeaders = { ...DIRECT, ...headers, host: host.replace('PORT', demo.url.port) }
      const page = await get(path, allHeaders, demo)
      expect(page.text.includes(`"key":"${READ_KEY}"`)).toBe(hasKey)
      // In either case, the form says where the other key is.
      expect(page.text).toContain('.data/demo-key')
      expect(page.headers['cache-control']).toBe(hasKey ? 'no-store' : 'private, no-cache')
      expect(page.headers).not.toHaveProperty('access-control-allow-origin')
    },
  )

  it('has no key on a server that is not the demo', async () => {
    const { text } = await get(path, DIRECT)
    expect([text.includes('"key":null'), text.includes('demo-key')]).toEqual([true, false])
  })

  it('has each id once', async () => {
    const { text } = await get(path)
    const ids = Array.from(text.matchAll(/ id="([^"]*)"/g), ([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
  })

  it('has the icon, and links to the other pages', async () => {
    const { text } = await get(path)
    for (const link of ['./favicon.svg', '"."', '"./docs"', '"./graphql"']) expect(text).toContain(link)
  })
})

describe.each(PAGES)('the files of %s', (path) => {
  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['br, gzip;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
  ])(
    'are revalidated each time, except those of libraries, which have their version in the path (Accept-Encoding: %s)',
    async (accepted, accepts) => {
      const { text } = await get(path)
      const files = [...text.matchAll(FILES)]
      expect(files.length).toBeGreaterThanOrEqual(3)
      for (const [, file = '', extension] of files) {
        const { status, headers, bytes } = await get(file, { 'accept-encoding': accepted })
        const isLibrary = /^\/files\/libraries\/[a-z]+-\d+\.\d+\.\d+\//.test(file)
        // From the sources, as in this test, our own files have no compressed copy.
        const coding = isLibrary ? accepts : undefined
        expect([status, headers['content-encoding']]).toEqual([200, coding])
        expect(headers).toMatchObject({
          'cache-control': isLibrary ? 'public, max-age=31536000, immutable' : 'public, max-age=0',
          'content-security-policy': `default-src 'none'`,
          'content-type':
            extension === 'css' ? 'text/css; charset=utf-8' : 'application/javascript; charset=utf-8',
          vary: 'accept-encoding',
          'x-content-type-options': 'nosniff',
        })
        const { bytes: content } = await get(file, { 'accept-encoding': 'identity' })
        expect((coding ? gunzipSync(bytes) : bytes).equals(content)).toBe(true)
        const known = { 'accept-encoding': accepted, 'if-none-match': String(headers.etag) }
        expect((await get(file, known)).status).toBe(304)
      }
    },
  )

  it('import modules that are served, too', async () => {
    const { text } = await get(path)
    const load = async (url: URL): Promise<string[]> => {
      const { status, text: script } = await get(url.pathname)
      expect([url.pathname, status]).toEqual([url.pathname, 200])
      const imported = [...script.matchAll(/^import \{[^}]*\} from '([^']+)'/gm)].map(
        ([, file = '']) => new URL(file, url),
      )
      return [url.pathname, ...(await Promise.all(imported.map(load))).flat()]
    }
    const modules = [...text.matchAll(/<script type="module" src="([^"]+)"/g)]
    const loaded = await Promise.all(modules.map(([, file = '']) => load(new URL(file, app.url))))
    expect(loaded.flat()).toContain('/files/pages/assets/shared/dom.js')
  })

  it('are served to GET and HEAD only, and no other files are', async () => {
    const files = [...(await get(path)).text.matchAll(FILES)]
    const [, file = ''] = files.find(([, , extension]) => extension === 'js') ?? []
    const head = await sendRequest(app.url, file, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const post = await sendRequest(app.url, file, { method: 'POST' })
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const folder = file.slice(0, file.lastIndexOf('/'))
    for (const other of ['', 'nothing.js', 'tsconfig.json', '..%2fpage.ts', '../page.ts', '%00'])
      expect([other, (await get(`${folder}/${other}`)).status]).toEqual([other, 404])
  })
})

it('requests tried on /docs may go to the servers of the contract', async () => {
  const env = { BASE_URL: 'https://pets.example/v1', STAGING_BASE_URL: 'https://staging.example/v1' }
  const server = await startApp(createFakeDatabase(), env)
  const { headers } = await get('/docs', {}, server)
  expect(headers['content-security-policy']).toContain(
    "connect-src 'self' https://pets.example https://staging.example;",
  )
  await server.close()
})

it.each<[string, string, string, string?]>([
  ['/favicon.svg', 'image/svg+xml', 'public, max-age=86400', 'accept-encoding'],
  ['/v1/openapi.json', 'application/json; charset=utf-8', 'no-cache'],
  ['/schema.graphql', 'text/plain; charset=utf-8', 'private, no-cache', 'Authorization'],
])(
  '%s has its type and its caching headers, and is answered with 304',
  async (path, type, cacheControl, vary) => {
    const authorization = `Bearer ${KEY}`
    const { headers } = await get(path, { authorization })
    expect(headers).toMatchObject({ 'content-type': type, 'cache-control': cacheControl })
    expect(headers.vary).toBe(vary)
    const again = await get(path, { authorization, 'if-none-match': String(headers.etag) })
    expect([again.status, again.text]).toEqual([304, ''])
  },
)

it('/docs/ leads to /docs, also behind a proxy that adds a prefix', async () => {
  const { status, headers } = await get('/docs/')
  const location = String(headers.location)
  expect([status, new URL(location, 'http://a/shop/docs/').href]).toEqual([308, 'http://a/shop/docs'])
})

describe('an unknown path', () => {
  it.each(['/unknown', '/v1x', '/v1x/', '/a//x', '/a/b/c?q=/d', `/${'a/'.repeat(20)}`])(
    'is a page with links for a browser: %s',
    async (path) => {
      const { status, headers, text } = await get(path)
      expect(status).toBe(404)
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICIES['/'],
        'referrer-policy': 'no-referrer',
        vary: expect.stringContaining('Accept') as string,
      })
      const links = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link)
      const resolved = links.map((link) => new URL(link, new URL(`/shop${path}`, 'http://a')).pathname)
      const paths = ['/shop/', '/shop/docs', '/shop/graphql', '/shop/favicon.svg']
      const styles = ['shared/page', 'key/key'].map((name) => `/shop/files/pages/assets/${name}.css`)
      expect(new Set(resolved)).toEqual(new Set([...paths, ...styles]))
    },
  )

  it.each<[string, string, Record<string, string>]>([
    ['a client that accepts anything', '/unknown', { accept: '*/*' }],
    ['a client that wants JSON', '/v1/unknown', { accept: 'application/json' }],
    ...[
      '/v1',
      '/v1?x',
      '/v1/',
      '/v1/unknown',
      '/v1/pet/1',
      '/graphql/',
      '/graphql/x?y',
      'http://a/v1/unknown',
    ].map((path): [string, string, Record<string, string>] => ['a browser in an API', path, {}]),
    ['a path that is too deep for links', `/${'a/'.repeat(21)}`, {}],
  ])('is the Error body for %s', async (_, path, headers) => {
    const { status, json } = await get(path, headers)
    expect([status, json]).toMatchObject([404, { code: 'NOT_FOUND', status: 404 }])
  })

  it.each(['/pets', '/pets?limit=1', '/pets/1'])('says that %s lacks /v1', async (path) => {
    const { status, json } = await get(path, { accept: '*/*' })
    const message = expect.stringContaining('/v1/pets') as string
    expect([status, json]).toEqual([404, { code: 'NOT_FOUND', message, status: 404 }])
  })

  it('reads no file at a second request, and neither does a page of the demo', async () => {
    const load = async () => [(await get('/a/b')).status, (await get('/', DIRECT, demo)).status]
    expect(await load()).toEqual([404, 200])
    const read = vi.spyOn(fs, 'readFileSync')
    syncBuiltinESMExports()
    onTestFinished(() => {
      read.mockRestore()
      syncBuiltinESMExports()
    })
    expect(await load()).toEqual([404, 200])
    expect(read).not.toHaveBeenCalled()
  })

  it('is the Error body for a browser that sends POST', async () => {
    const response = await fetch(new URL('/unknown', app.url), {
      method: 'POST',
      headers: { accept: BROWSER },
    })
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
  })
})
