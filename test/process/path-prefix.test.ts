/**
 * A server behind a proxy that strips a path prefix; test/tools/browser.test.ts opens its pages in a browser.
 *
 * @module-tag slow
 */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idOf, sendRequest, type TestRequest, type TestResponse } from '../support/client.ts'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { type PrefixProxy, startPrefixProxy } from '../support/prefix-proxy.ts'
import { countFiles } from '../support/pages.ts'
import { endPrograms, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { verifyHere } from '../support/verify.ts'

const data = join(useDirectory(), 'data')
let proxy: PrefixProxy
beforeAll(async () => {
  copyDataDirectory(data)
  proxy = await startPrefixProxy('/petstore')
  const env = { DATA_DIR: data, API_KEYS: `test:${KEY}`, BASE_URL: `${proxy.url}/v1` }
  proxy.forwardTo(await startProgram(env).ready)
})
afterAll(async () => {
  await endPrograms()
  proxy.close()
})

function send(address: string, request?: TestRequest): Promise<TestResponse> {
  const { origin, pathname, search } = new URL(address)
  return sendRequest(origin, pathname + search, { key: KEY, ...request })
}

it('Location and Link have the prefix, and lead to what they name', async () => {
  const body = { name: 'Rex', categoryId: 7 }
  const created = await send(`${proxy.url}/v1/pets`, { method: 'POST', body })
  const { location = '' } = created.headers
  expect([created.status, location]).toEqual([201, `${proxy.url}/v1/pets/${idOf(created)}`])
  expect((await send(location)).json).toEqual(created.json)

  const page = await send(`${proxy.url}/v1/pets?limit=2`)
  const links = [...String(page.headers.link).matchAll(/<([^>]+)>; rel="([\w-]+)"/g)]
  expect(links.map(([, , rel]) => rel)).toContain('next')
  for (const [, link = ''] of links) {
    expect(link).toMatch(new RegExp(`^${proxy.url}/`))
    expect((await send(link)).status).toBe(200)
  }
})

it('every page loads all its files', async () => {
  expect(await countFiles(proxy.url)).toEqual({ '/': 8, '/docs': 7, '/graphql': 8 })
})

it('every clause and addition of the contract holds below the prefix', async () => {
  const { status, stdout } = await verifyHere(KEY, `${proxy.url}/v1`)
  expect(status, stdout).toBe(0)
  expect(stdout).not.toContain('  fails  ')
})

it('the published contract has the address with the prefix', async () => {
  const contract = (await (await fetch(`${proxy.url}/v1/openapi.json`)).json()) as {
    servers: { url: string }[]
  }
  expect(contract.servers[0]?.url).toBe(`${proxy.url}/v1`)
})
