/** The home page, the docs page and the form for GraphiQL's key in a real browser, on the embedded database. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, openRequest, openWithoutStorage, sendRequest, useBrowser } from './browser.ts'
import { createClient, idOf } from '../support/client.ts'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { demoKeyOf, endPrograms, startProgram } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(!hasBrowser)('in a browser', () => {
  const open = useBrowser()
  const directory = useDirectory()
  const data = join(directory, 'data')
  let url: string
  /** The same server under a name for which its pages have no key. */
  let elsewhere: string
  let key: string
  let readKey: string
  /** As the server prints it. */
  const withKey = (path = '/') => `${url}${path}#key=${key}`
  beforeAll(async () => {
    copyDataDirectory(data)
    const program = startProgram({ DATA_DIR: data })
    url = await program.ready
    elsewhere = url.replace('127.0.0.1', 'pets.localhost')
    key = demoKeyOf(program)
    readKey = readFileSync(join(data, 'demo-read-key'), 'utf8').trim()
  })
  afterAll(endPrograms)

  it('the home page shows that the server is ready, and copies commands with the key that it has', async () => {
    const { page, problems } = await open(url, { permissions: ['clipboard-read', 'clipboard-write'] })
    const copyFirst = async () => {
      await page.getByRole('button', { name: 'Copy' }).first().click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      return page.evaluate('navigator.clipboard.readText()')
    }
    const toCommand = (origin: string, secret: string) =>
      `curl '${origin}/v1/pets?limit=3' \\\n  -H "Authorization: Bearer ${secret}"`
    await page.goto(url)
    await page.locator('#status', { hasText: /^ready$/ }).waitFor()
    await page.getByText('The commands contain a key that only reads').waitFor()
    expect(await copyFirst()).toBe(toCommand(url, readKey))
    // The page is open: only its fragment changes.
    await page.goto(withKey())
    await page.getByText('The commands contain your API key').waitFor()
    expect(await copyFirst()).toBe(toCommand(url, key))

    await page.goto(elsewhere)
    await page.locator('.home-command code', { hasText: elsewhere }).first().waitFor()
    expect(await page.locator('.home-command code').first().textContent()).toBe(
      toCommand(elsewhere, '$API_KEY'),
    )
    expect(problems.filter((problem) => !problem.includes(elsewhere))).toEqual([])
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
      await page.getByText('The commands contain your API key').waitFor()
      // Another tab knows nothing of it.
      const opened = page.context().waitForEvent('page')
      await page.evaluate(`void open('.', '', 'noopener')`)
      await (await opened).getByText('The commands contain a key that only reads').waitFor()
      expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(key)
      expect(problems).toEqual([])
    },
  )

  /** How each page reads, and how it changes something. */
  const CHANGES: [string, (page: Page) => Promise<void>, (page: Page) => Promise<void>][] = [
    [
      '/',
      (page) => page.getByText('Live', { exact: true }).waitFor(),
      async (page) => {
        await page.getByLabel('Name').fill('Patience')
        await page.getByLabel('Category').fill('1')
        await page.getByRole('button', { name: 'Create' }).click()
      },
    ],
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
      // The home page makes the change; the others leave that to the user.
      if (path !== '/') {
        await page.waitForLoadState()
        await changes(page)
      }
      const names = async () => (await createClient(url, key).send('/v1/pets?limit=100')).text
      if (path !== '/docs') await eventually(async () => expect(await names()).toMatch(/Patience|Waffles/))
      expect(await page.getByRole('alert').getByText('read access only').isVisible()).toBe(false)
    },
  )

  it.skipIf(!hasNginx)('through nginx as it comes, no page has a key', async () => {
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
    await page.getByText('Enter an API key. The browser forgets it').waitFor()
    await page.goto(`${proxied}/#key=${key}`)
    await page.getByText('Live', { exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('the home page lists, filters, creates and sells pets, and shows what happens in a second window', async () => {
    const { page, problems } = await open(url)
    const { page: second } = await open(url)
    const names = (from: Page) => from.locator('#pet-rows th').allTextContents()
    const rowOf = (from: Page, name: string) => from.locator('#pet-rows tr', { hasText: name })
    for (const window of [page, second]) {
      await window.goto(withKey())
      await window.getByText('Live', { exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Show more' }).click()
    await eventually(async () => expect(await names(page)).toHaveLength(20))
    // The newest come first: these are the last of the demo's pets.
    const demo = ['Buddy', 'Shelly', 'Biscuit']
    expect((await names(page)).filter((name) => demo.includes(name))).toEqual(demo)

    await page.getByLabel('Category').fill('9007199254740993')
    await page.getByLabel('Name').fill('  ')
    expect(await page.locator('#new-pet input:invalid').count()).toBe(1)
    await page.getByLabel('Name').fill('Pancakes')
    await page.getByRole('button', { name: 'Create' }).click()
    await rowOf(page, 'Pancakes').getByText('9007199254740993').waitFor()
    await rowOf(second, 'Pancakes').getByText('not set').waitFor()
    await second.getByText(/^Pancakes \(\d+\) was created\.$/).waitFor()

    await page.getByRole('button', { name: 'Sell Pancakes' }).click()
    await rowOf(page, 'Pancakes').getByText('sold').waitFor()
    await rowOf(second, 'Pancakes').getByText('sold').waitFor()
    await second.getByText(/^Pancakes \(\d+\) was updated\.$/).waitFor()
    expect(await second.getByRole('button', { name: 'Sell Pancakes' }).count()).toBe(0)

    await second.getByRole('group', { name: 'Show' }).getByRole('radio', { name: 'pending' }).check()
    await rowOf(second, 'Pancakes').waitFor({ state: 'detached' })
    expect(await second.locator('#pet-rows .home-badge:not(.pending)').count()).toBe(0)
    const command = second.locator('.home-command code').first()
    expect(await command.textContent()).toContain(`'${url}/v1/pets?limit=3&status=pending'`)

    // The server's own sentence, at the field.
    await page.getByLabel('Name').fill('Nobody')
    await page.getByLabel('Category').fill('9223372036854775808')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('Int64 must be an integer').waitFor()
    expect(await page.getByLabel('Category').getAttribute('aria-invalid')).toBe('true')
    expect(problems).toEqual([])
  })

  it('on the home page, no name is taken for HTML', async () => {
    const { page, problems } = await open(url)
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    const names = ['<img src=x onerror=alert(1)>', 'very long '.repeat(100), 'x'.repeat(1000), 'مرحبا (12)!']
    for (const name of names) await createClient(url, key).createPet({ name, categoryId: 1 })
    await page.locator('#pet-event', { hasText: names[3] ?? '' }).waitFor()
    await eventually(async () =>
      expect((await page.locator('#pet-rows th').allTextContents()).slice(0, 4)).toEqual(names.toReversed()),
    )
    expect(problems).toEqual([])
  })

  it('the home page says where its list ends, and why an action failed; it does not scroll by itself', async () => {
    const { page } = await open(url)
    const other = createClient(url, key)
    for (let number = 0; number < 100; number += 1)
      await other.createPet({ name: `Number ${number}`, categoryId: 1, status: 'available' })
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    const rows = page.locator('#pet-rows tr')
    for (let shown = 10; shown < 100; shown += 10) {
      await eventually(async () => expect(await rows.count()).toBe(shown))
      await page.getByRole('button', { name: 'Show more' }).press('Enter')
    }
    const end = page.getByText('These are the newest 100; the APIs list all.')
    await end.waitFor()
    expect(await end.evaluate((element) => element === document.activeElement)).toBe(true)

    const last = page.getByRole('button', { name: /^Sell / }).last()
    await page.context().setOffline(true)
    await last.click()
    const problem = page.getByRole('alert').getByText('The server cannot be reached.')
    await problem.waitFor()
    await page.context().setOffline(false)
    await problem.waitFor({ state: 'detached' })

    // The focus is on a button that is out of sight, and stays in the list.
    await page.locator('[id^=sell-]').nth(80).focus()
    await page.evaluate('scrollTo(0, 0)')
    await other.createPet({ name: 'Late', categoryId: 1 })
    await rows.filter({ hasText: 'Late' }).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
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
  })

  it('on the home page, the focus of the keyboard goes on after Sell and Create', async () => {
    const { page } = await open(url)
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.name')
    await page.getByLabel('Name').fill('Focus')
    await page.getByLabel('Category').fill('1')
    await page.keyboard.press('Enter')
    await page.locator('#pet-rows tr', { hasText: 'Focus' }).waitFor()
    expect(await focused()).toBe('name')
    await page.getByRole('button', { name: 'Sell Focus' }).press('Enter')
    await page.locator('#pet-rows tr', { hasText: 'Focus' }).getByText('sold').waitFor()
    expect(await focused()).toBe('pets-title')
  })

  it('of two windows of the home page that sell one pet, one succeeds, and the other shows what has happened', async () => {
    const { page } = await open(url)
    // It gets no events.
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('subscription') ? route.abort() : route.fallback(),
    )
    const other = createClient(url, key)
    const id = idOf(await other.createPet({ name: 'Race', categoryId: 1, status: 'pending' }))
    await page.goto(withKey())
    const sell = page.getByRole('button', { name: 'Sell Race' })
    await sell.waitFor()
    await other.updatePet(id, { status: 'sold' })
    await sell.click()
    await page.getByRole('alert').getByText('changed or deleted in the meantime').waitFor()
    await page.locator('#pet-rows tr', { hasText: 'Race' }).getByText('sold').waitFor()
  })

  it('the home page reads the list again after a read that has failed', async () => {
    const { page } = await open(url)
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('#pet-rows tr').first().waitFor()
    await page.route('**/graphql', (route) => route.abort('connectionreset'), { times: 1 })
    await createClient(url, key).createPet({ name: 'Again', categoryId: 1 })
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    await page.locator('#pet-rows tr', { hasText: 'Again' }).waitFor()
    await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' })
  })

  it('the home page asks for a key where it has none, keeps it, and makes a change with the next one only if that is entered at once', async () => {
    const { page, problems } = await open(elsewhere)
    await page.goto(elsewhere)
    const field = page.getByLabel('API key', { exact: true })
    expect(await page.getByRole('heading', { name: 'Pets' }).count()).toBe(1)
    await field.fill('wrong-key-of-somebody')
    await field.press('Enter')
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(problems.splice(0)).toEqual([expect.stringContaining('401')])

    await page.context().setOffline(true)
    await field.press('Enter')
    await page.getByRole('alert').getByText('The server cannot be reached. Try again.').waitFor()
    expect(problems.splice(0)).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')])
    await page.context().setOffline(false)

    await field.fill(readKey)
    await field.press('Enter')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    const sell = page.getByRole('button', { name: /^Sell / }).first()
    const name = (await sell.getAttribute('aria-label')) ?? ''
    await sell.click()
    const problem = page.getByRole('alert').getByText('This API key has read access only.')
    await problem.first().waitFor()
    await field.press('Escape')
    await page.getByRole('button', { name: 'API key' }).click()
    await field.fill(key)
    await field.press('Enter')
    await page.getByText('The commands contain your API key').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(1)
    expect(problems).toEqual([])
  })

  it('the home page becomes live again after the server has been away, and shows what it has missed', async () => {
    const { page } = await open(url)
    const network = await startProxy(url)
    await page.goto(`${network.url}#key=${key}`)
    await page.getByText('Live', { exact: true }).waitFor()
    network.hangUp(true)
    await page.getByText('Not live').waitFor()
    await page.getByRole('link', { name: 'not reachable' }).waitFor()
    await createClient(url, key).createPet({ name: 'Missed', categoryId: 1 })
    network.hangUp(false)
    await page.locator('#pet-rows tr', { hasText: 'Missed' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'ready', exact: true }).waitFor()
    await network.close()
  })

  it('GraphiQL asks for a key once, for all tabs, and keeps it for the session', async () => {
    const { page, problems } = await open(elsewhere)
    await page.goto(`${elsewhere}/graphql`)
    const field = page.getByLabel('API key', { exact: true })
    await page.getByText('Enter an API key to begin.').waitFor()
    // Without a key, there is nothing to go back to.
    await field.press('Escape')
    expect(await page.getByRole('button', { name: 'Cancel' }).isVisible()).toBe(false)
    await field.fill('wrong-key-of-somebody')
    await field.press('Enter')
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor()
    // The browser reports every 401.
    expect(problems.splice(0)).toEqual([expect.stringContaining('401')])

    await field.fill(key)
    await field.press('Enter')
    await runTab(page, 'AvailablePets', '"Rex"')
    await runTab(page, 'PetsByName', '"hasNextPage": true')

    await page.reload()
    await runTab(page, 'AvailablePets', '"Rex"')
    // The schema is there, and links to the REST API open in a tab of their own.
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.locator('a.graphiql-doc-explorer-type-name', { hasText: /^Query$/ }).click()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'GET /v1/pets', exact: true }).click()
    const docs = await opened
    await docs.getByRole('heading', { name: 'List pets' }).first().waitFor()
    expect(docs.url()).toBe(`${elsewhere}/docs#tag/pets/listPets`)
    expect(page.url()).toContain('/graphql')
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(key)
    expect(problems).toEqual([])
  })

  it('GraphiQL keeps its key and its state until another key is saved', async () => {
    const { page, problems } = await open(url)
    await page.goto(withKey('/graphql'))
    const editor = page.locator('.graphiql-query-editor .view-line').first()
    const change = page.getByRole('button', { name: 'API key' })
    const field = page.getByLabel('API key', { exact: true })
    for (const cancel of [
      () => page.getByRole('button', { name: 'Cancel' }).click(),
      () => field.press('Escape'),
    ]) {
      await change.click()
      await editor.waitFor({ state: 'hidden' })
      await field.fill('half of a')
      await cancel()
      await editor.waitFor()
    }
    await change.click()
    expect(await field.inputValue()).toBe('')
    await page.getByText('.data/demo-key').waitFor()
    // A key that is not valid replaces nothing.
    await field.fill('wrong-key-of-somebody')
    await field.press('Enter')
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor()
    expect(problems.splice(0)).toEqual([expect.stringContaining('401')])
    await field.press('Escape')
    await page.click('.graphiql-execute-button')
    await page.locator('.result-window .view-line', { hasText: '"Rex"' }).first().waitFor()
    expect(problems).toEqual([])
  })

  it('the docs page keeps a key for the session, sends requests with it, and links to GraphiQL', async () => {
    const { page, problems } = await open(elsewhere)
    await page.goto(`${elsewhere}/docs`)
    await page.getByText('IDEMPOTENCY_KEY_REUSED').waitFor()
    expect(await page.getByText('bearerAuth', { exact: true }).count()).toBe(0)
    // The request dialog, too, has one.
    const field = page.getByPlaceholder('Token').first()
    expect(await field.inputValue()).toBe('')
    await field.fill(key)
    const readStorage = () => page.evaluate('JSON.stringify({ ...sessionStorage })')
    await eventually(async () => expect(await readStorage()).toContain(key))
    await page.reload()
    await field.waitFor()
    expect(await field.inputValue()).toBe(key)
    const dialog = await openRequest(page, `${elsewhere}/docs`, 'listPets')
    await sendRequest(dialog)
    await dialog.getByText('"Rex"').first().waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    // A key that is entered on another page replaces it.
    await page.getByRole('button', { name: 'API key' }).first().click()
    await page.getByLabel('API key', { exact: true }).fill(readKey)
    await page.getByRole('button', { name: 'Use this key' }).click()
    // The page is loaded again.
    await eventually(async () => expect(await field.inputValue()).toBe(readKey))

    // Scalar renders what is near the window.
    await page.goto(`${elsewhere}/docs#tag/pets/getPet`)
    await page.reload()
    await page.getByRole('heading', { name: 'Get a pet', exact: true }).waitFor()
    await page.getByText('This operation will be removed on 5 December 2030').waitFor()
    await page.goto(`${elsewhere}/docs#tag/pets/listPets`)
    await page.reload()
    const link = page.getByRole('link', { name: 'listPets' }).first()
    await page.goto(new URL((await link.getAttribute('href')) ?? '', elsewhere).href)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    expect(problems).toEqual([])
  })

  /** GraphiQL's tabs are buttons within elements with the role tab. */
  const OF_GRAPHIQL = ['nested-interactive']

  /** @param tolerated the ids of axe's rules */
  async function findViolations(page: Page, tolerated: readonly string[] = []): Promise<unknown[]> {
    // In a function of its own, since the policy forbids further scripts.
    const run = `(async () => {
      const module = { exports: {} }
      ;(function (module) { ${axe} })(module)
      return module.exports.run(document, { resultTypes: ['violations'] })
    })()`
    const { violations } = await page.evaluate<AxeResults>(run)
    return violations
      .filter(({ id }) => !tolerated.includes(id))
      .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  }

  it('the docs page shows integers exactly that doubles cannot hold; axe finds nothing', async () => {
    const { page, problems } = await open(url)
    await page.goto(withKey('/docs'))
    const dialog = await openRequest(page, `${url}/docs`, 'createPet')
    const body = dialog.locator('.cm-content[contenteditable=true]').last()
    await body.fill('{"name": "Big", "categoryId": 9223372036854775807}')
    await sendRequest(dialog)
    await dialog.getByText('201 Created').waitFor()
    await dialog
      .locator('.cm-content', { hasText: /"id": \d+,\s*"name": "Big",\s*"categoryId": 9223372036854775807/ })
      .waitFor()
    for (const size of [PHONE, DESKTOP]) {
      await page.setViewportSize(size)
      expect(await findViolations(page)).toEqual([])
    }
    // What is behind the dialog can be used again.
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Test Request (post /pets)' }).click()
    await dialog.waitFor()
    expect(problems).toEqual([])
  })

  const PAGES: [string, string, (page: Page) => Promise<void>, string[]?][] = [
    [
      'the home page',
      '/',
      async (page) => {
        await page.locator('#status.is-ready').waitFor()
        await page.getByText('Live', { exact: true }).waitFor()
        await page.locator('#pet-rows tr').first().waitFor()
      },
    ],
    ['the beginning of the docs page', '/docs', (page) => page.getByText('IDEMPOTENCY_KEY_REUSED').waitFor()],
    [
      'an operation of the docs page',
      '/docs#tag/pets/listPets',
      (page) =>
        page
          .getByRole('button', { name: /Test Request/ })
          .first()
          .waitFor(),
    ],
    [
      'GraphiQL',
      '/graphql',
      (page) => page.locator('.graphiql-query-editor .view-line').first().waitFor(),
      OF_GRAPHIQL,
    ],
  ]
  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    it.each(PAGES)('%s fits a phone, and axe finds nothing', async (_, path, waitUntilShown, tolerated) => {
      const { page, problems } = await open(url, { colorScheme, viewport: PHONE })
      await page.goto(`${url}${path}`)
      await waitUntilShown(page)
      expect(await page.evaluate('scrollTo(1000, 0), scrollX')).toBe(0)
      expect(await findViolations(page, tolerated)).toEqual([])
      await page.setViewportSize(DESKTOP)
      expect(await findViolations(page, tolerated)).toEqual([])
      expect(problems).toEqual([])
    })
  })

  it.each(['/', '/docs', '/graphql'])('%s says that it is loading', async (path) => {
    const { page } = await open(url)
    const slow = Promise.withResolvers<undefined>()
    // The pets, and the scripts of Scalar and GraphiQL.
    await page.route(/graphql$|scalar\.js|graphiql\/.*\.js/, async (route) => {
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

/** Opens a tab of GraphiQL, and runs its document. */
async function runTab(page: Page, title: string, answer: string): Promise<void> {
  await page.locator('.graphiql-tab-button', { hasText: title }).click()
  await page.locator('.graphiql-query-editor .view-line', { hasText: title }).first().waitFor()
  // GraphiQL ignores a click while it still reads the tab.
  await eventually(async () => {
    const isSent = (request: Request) => request.postData()?.includes(title) ?? false
    await Promise.all([
      page.waitForRequest(isSent, { timeout: 1_000 }),
      page.click('.graphiql-execute-button'),
    ])
  })
  await page.locator('.result-window .view-line', { hasText: answer }).first().waitFor()
}
