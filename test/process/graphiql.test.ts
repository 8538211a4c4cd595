/** GraphiQL as it is sent; what becomes of it in a browser is browser.test.ts's. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endPrograms, startProgram } from '../support/process.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-store-'))
let url: string
beforeAll(async () => {
  url = await startProgram({ DATA_DIR: directory }).ready
})
afterAll(async () => {
  await endPrograms()
  rmSync(directory, { recursive: true, force: true })
})

const getPage = () =>
  fetch(`${url}/graphql`, { headers: { accept: 'text/html', origin: 'http://evil.example' } })

/** The addresses of the files that the page loads. */
async function listFiles(): Promise<string[]> {
  const html = await (await getPage()).text()
  return [...html.matchAll(/"(\/graphql\/graphiql\/[^"]+)"/g)].map(([, path = '']) => url + path)
}

it('the page is small, kept by nobody, and runs nothing but its own scripts', async () => {
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
  'its files are kept for ever, by names that change with them (Accept-Encoding: %s)',
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
      // Decoded, that is.
      const hash = createHash('sha256').update(new Uint8Array(await response.arrayBuffer()))
      expect(file).toContain(`-${hash.digest('base64url').slice(0, 16)}.`)
    }
  },
)

it('its files answer GET and HEAD alone, and are no others', async () => {
  const [file = ''] = await listFiles()
  const head = await fetch(file, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const post = await fetch(file, { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  for (const other of ['nothing.js', '..%2fhttp.ts', '']) {
    expect((await fetch(`${url}/graphql/graphiql/${other}`)).status).toBe(404)
  }
})
