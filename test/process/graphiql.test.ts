/** The responses for GraphiQL's page and files; browser.test.ts tests them in a browser. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { endPrograms, startProgram } from '../support/process.ts'

const data = join(useDirectory(), 'data')
let url: string
beforeAll(async () => {
  copyDataDirectory(data)
  url = await startProgram({ DATA_DIR: data }).ready
})
afterAll(endPrograms)

const getPage = () =>
  fetch(`${url}/graphql`, { headers: { accept: 'text/html', origin: 'http://evil.example' } })

/** The URLs of the files that the page loads. */
async function listFiles(): Promise<string[]> {
  const html = await (await getPage()).text()
  return [...html.matchAll(/"(\.\/graphql\/graphiql\/[^"]+)"/g)].map(
    ([, path = '']) => new URL(path, `${url}/graphql`).href,
  )
}

it('the page is small, is not cached, and may run only its own scripts', async () => {
  const [first, second] = [await getPage(), await getPage()]
  expect((await first.arrayBuffer()).byteLength).toBeLessThan(10_000)
  expect(first.headers.get('cache-control')).toBe('no-store')
  expect(first.headers.get('x-content-type-options')).toBe('nosniff')
  expect(first.headers.get('referrer-policy')).toBe('no-referrer')
  expect(first.headers.get('access-control-allow-origin')).toBeNull()

  const policy = first.headers.get('content-security-policy') ?? ''
  const [nonce] = /'nonce-[\w+/=]{24}'/.exec(policy) ?? []
  expect(policy.replace(nonce ?? '', 'NONCE')).toBe(
    "default-src 'none'; script-src NONCE; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
      "img-src 'self' data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(second.headers.get('content-security-policy')).not.toBe(policy)
})

it.each(['br', 'gzip', 'gzip, deflate, br', 'identity'])(
  'its files may be cached forever, since their names change with their content (Accept-Encoding: %s)',
  async (accepted) => {
    const files = await listFiles()
    expect(files).toHaveLength(5)
    for (const file of files) {
      const response = await fetch(file, { headers: { 'accept-encoding': accepted } })
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('vary')).toBe('Accept-Encoding')
      expect(response.headers.get('content-type')).toMatch(
        file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/,
      )
      const coding = accepted.split(', ').at(-1) ?? ''
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(coding)
      // The length of the decoded body.
      const hash = createHash('sha256').update(new Uint8Array(await response.arrayBuffer()))
      expect(file).toContain(`-${hash.digest('base64url').slice(0, 16)}.`)
    }
  },
)

it('its files are served to GET and HEAD only, and no other files are', async () => {
  const [file = ''] = await listFiles()
  const head = await fetch(file, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const post = await fetch(file, { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  for (const other of ['nothing.js', '..%2fhttp.ts', '']) {
    expect((await fetch(`${url}/graphql/graphiql/${other}`)).status).toBe(404)
  }
})
