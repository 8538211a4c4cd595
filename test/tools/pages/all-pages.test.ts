/** What pages share: the key of the tab, and what they say while they load. */
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser, openRequest, openWithoutStorage, sendRequest, useBrowser } from '../browser.ts'
import { READ_ONLY_HINT, fulfillWithError, isCheck, runTab, startDemo } from './demo.ts'
import { createClient } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { hasNginx, startNginx } from '../../support/nginx.ts'

const { directory, elsewhere, key, readKey, url, withKey } = await startDemo()

describe.skipIf(!hasBrowser)('all pages in a browser', () => {
  const open = useBrowser()

  it.each([
    ['/', 'a key that writes', null, 'may write'],
    ['/docs', 'a key that writes', null, 'may write'],
    ['/docs', 'a read-only key', 'FORBIDDEN', 'read only'],
    ['/graphql', 'a key, while the database is away', 'DATABASE_UNAVAILABLE', 'not checked'],
    ['/graphql', 'a key, where only trusted documents run', 'DOCUMENT_NOT_TRUSTED', 'not checked'],
  ])('the button of %s says what %s may do', async (path, _, code, state) => {
    const { page } = await open(url)
    await page.route('**/graphql', (route) =>
      code !== null && route.request().method() === 'POST'
        ? route.fulfill({ json: { errors: [{ message: code, extensions: { code } }] } })
        : route.fallback(),
    )
    await page.goto(withKey(path))
    await page.getByRole('button', { name: `API key: ${state}`, exact: true }).waitFor()
  })

  it.each([
    ['is not reachable', (route: Route) => route.abort('connectionreset')],
    ['limits its requests', (route: Route) => fulfillWithError(route, 'RATE_LIMITED')],
  ])('a page keeps the key of the tab while the server %s', async (_, answer) => {
    const { page } = await open(url)
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    await page.route('**/graphql', (route) => (isCheck(route) ? answer(route) : route.fallback()))
    await page.reload()
    await page.getByRole('button', { name: 'API key: not checked', exact: true }).waitFor()
    await page.getByText('Copied commands contain your API key').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it.each(['/', '/docs', '/graphql'])(
    'the key in the address of %s goes to the tab, and nowhere else',
    async (path) => {
      const { page, problems } = await open(url)
      await page.goto(withKey(path))
      await page.getByRole('button', { name: 'API key' }).first().waitFor()
      await eventually(() => expect(page.url()).not.toContain('key'))
      // It survives a reload, and is on the other pages.
      await page.goto(url)
      await page.reload()
      await page.getByText('Copied commands contain your API key').waitFor()
      // Another tab knows nothing of it.
      const opened = page.context().waitForEvent('page')
      await page.evaluate(`void open('.', '', 'noopener')`)
      await (await opened).getByText(READ_ONLY_HINT).waitFor()
      expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(key)
      expect(problems).toEqual([])
    },
  )

  /** How each page reads, and how it changes something. */
  const CHANGES: [string, (page: Page) => Promise<void>, (page: Page) => Promise<void>][] = [
    [
      '/docs',
      async (page) => {
        const dialog = await openRequest(page, `${url}/docs`, 'listPets')
        await sendRequest(dialog)
        await dialog.getByText('"Rex"').first().waitFor()
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'hidden' })
      },
      async (page) => sendRequest(await openRequest(page, `${url}/docs`, 'createPet')),
    ],
    [
      '/graphql',
      (page) => runTab(page, 'AvailablePets', '"Rex"'),
      async (page) => {
        await page.locator('.graphiql-tab-button', { hasText: 'AddPet' }).click()
        await page.locator('.graphiql-query-editor .view-line', { hasText: 'AddPet' }).first().waitFor()
        await eventually(async () => {
          await page.click('.graphiql-execute-button[aria-haspopup]')
          await page.getByRole('menuitem', { name: 'AddPet' }).click({ timeout: 10_000 })
        })
      },
    ],
  ]

  it.each(CHANGES)(
    'without the key, %s reads, and asks for another key at the first change',
    async (path, reads, changes) => {
      const { page } = await open(url)
      await page.goto(`${url}${path}`)
      await reads(page)
      await changes(page)
      await page.getByRole('alert').getByText('This API key has read access only.').waitFor()
      await page.getByLabel('API key', { exact: true }).fill(key)
      await page.keyboard.press('Enter')
      await page.getByLabel('API key', { exact: true }).waitFor({ state: 'hidden' })
      await page.waitForLoadState()
      await changes(page)
      const names = async () => (await createClient(url, key).send('/v1/pets?limit=100')).text
      if (path !== '/docs') await eventually(async () => expect(await names()).toMatch(/Waffles/))
      expect(await page.getByRole('alert').getByText('read access only').isVisible()).toBe(false)
    },
  )

  it.skipIf(!hasNginx)('through nginx with its defaults, no page has a key', async () => {
    const proxied = await startNginx(directory, url)
    for (const settings of [
      '',
      'proxy_http_version 1.1;',
      'proxy_http_version 1.1; proxy_set_header Connection "";',
    ]) {
      const origin = settings === '' ? proxied : await startNginx(directory, url, settings)
      for (const path of ['/', '/docs', '/graphql']) {
        const response = await fetch(`${origin}${path}`, { headers: { accept: 'text/html' } })
        expect([settings, path, await response.text()]).toEqual([
          settings,
          path,
          expect.stringContaining('"key":null'),
        ])
      }
    }
    const { page, problems } = await open(proxied)
    await page.goto(proxied)
    await page.getByText('Enter an API key. This tab keeps it').waitFor()
    await page.goto(`${proxied}/#key=${key}`)
    await page.getByText('Live', { exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('the pages work in a browser that keeps no site data', async () => {
    const page = await openWithoutStorage(join(directory, 'no-site-data'))
    await page.goto(url)
    expect(await page.evaluate(`Object.keys(sessionStorage).length`)).toBe(0)
    await page.getByText('Live', { exact: true }).waitFor()
    const dialog = await openRequest(page, `${url}/docs`, 'listPets')
    await sendRequest(dialog)
    await dialog.getByText('"Rex"').first().waitFor()
    await page.goto(`${url}/graphql`)
    await runTab(page, 'AvailablePets', '"Rex"')
    // An entered key goes through the reload of these pages.
    const enterKey = async (token: string) => {
      await page.getByLabel('API key', { exact: true }).fill(token)
      await page.keyboard.press('Enter')
    }
    await page.goto(`${elsewhere}/graphql`)
    await page.getByText('This browser keeps no data for this site').waitFor()
    await enterKey(key)
    await page.getByRole('button', { name: 'API key: may write', exact: true }).waitFor()
    await runTab(page, 'AvailablePets', '"Rex"')
    await page.goto(`${elsewhere}/docs`)
    await page.getByText('IDEMPOTENCY_KEY_REUSED').waitFor()
    // Also where Scalar has kept another.
    await page.getByPlaceholder('Token').first().fill(key)
    const values =
      'Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.getItem(sessionStorage.key(index)))'
    await eventually(async () => expect(JSON.stringify(await page.evaluate(values))).toContain(key))
    await page.getByRole('button', { name: 'API key: none', exact: true }).click()
    await enterKey(readKey)
    await page.getByRole('button', { name: 'API key: read only', exact: true }).waitFor()
    await eventually(async () =>
      expect(await page.getByPlaceholder('Token').first().inputValue()).toBe(readKey),
    )
    // And one in an address, also where the page is open already.
    await page.goto(`${elsewhere}/docs#key=${key}`)
    await page.getByRole('button', { name: 'API key: may write', exact: true }).waitFor()
    expect(await page.evaluate('JSON.stringify(history.state)')).not.toContain(key)
  })

  it.each(['/docs', '/graphql'])('%s says that its library could not be loaded', async (path) => {
    const { page } = await open(url)
    await page.route('**/files/libraries/**/*.js', (route) => route.abort())
    await page.goto(withKey(path))
    await page.getByText('could not be loaded').waitFor({ timeout: 20_000 })
  })

  it.each(['/', '/docs', '/graphql'])('%s says that it is loading', async (path) => {
    const { page } = await open(url)
    const slow = Promise.withResolvers<undefined>()
    // The pets, and the scripts of Scalar and GraphiQL.
    await page.route(/graphql$|\/libraries\/.*\.js/, async (route) => {
      if (route.request().resourceType() !== 'document') await slow.promise
      await route.fallback()
    })
    await page.goto(`${url}${path}`, { waitUntil: 'commit' })
    const text = page.getByText('Loading…')
    await text.waitFor()
    slow.resolve(undefined)
    await text.waitFor({ state: 'hidden' })
  })
})
