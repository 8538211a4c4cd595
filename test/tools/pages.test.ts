/** The home page, the docs page and the form for GraphiQL's key in a real browser, on the embedded database. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page, Request, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, openRequest, openWithoutStorage, sendRequest, useBrowser } from './browser.ts'
import { createClient, idOf } from '../support/client.ts'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { demoKeyOf, endPrograms, startProgram } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'

/** A wide window at 400 % (WCAG 1.4.10). */
const NARROW = { width: 320, height: 700 }
const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** On the home page, if the server has put the demo's key into it. */
const READ_ONLY_HINT = 'Copied commands contain a read-only key'
/** A browser reports the 403 by which a page learns that an entered key only reads. */
const isUnexpected = (problem: string) => !problem.includes('403 (Forbidden)')

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

  it('the home page shows that the server is ready, and copies commands with the key that it has, which it does not show', async () => {
    const { page, problems } = await open(url, { permissions: ['clipboard-read', 'clipboard-write'] })
    const copyFirst = async () => {
      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      return page.evaluate('navigator.clipboard.readText()')
    }
    const shown = () => page.locator('body').textContent()
    const toCommand = (origin: string, secret: string) =>
      `curl '${origin}/v1/pets?limit=3' \\\n  -H "Authorization: Bearer ${secret}"`
    await page.goto(url)
    await page.locator('#status', { hasText: /^ready$/ }).waitFor()
    await page.getByText(READ_ONLY_HINT).waitFor()
    expect(await copyFirst()).toBe(toCommand(url, readKey))
    // The page is open: only its fragment changes.
    await page.goto(withKey())
    await page.getByText('Copied commands contain your API key').waitFor()
    expect(await copyFirst()).toBe(toCommand(url, key))
    expect(await shown()).not.toContain(key)
    // Without HTTPS, there is no clipboard but that of the keyboard.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await page.getByRole('tab', { name: 'Schema' }).click()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.getByLabel('Name').focus()
    await page.keyboard.press('ControlOrMeta+V')
    expect(await page.getByLabel('Name').inputValue()).toContain(`-H "Authorization: Bearer ${key}"`)

    await page.goto(elsewhere)
    await page.locator('.home-command code', { hasText: elsewhere }).first().waitFor()
    expect(await page.locator('.home-command code').first().textContent()).toBe(
      toCommand(elsewhere, '$API_KEY'),
    )
    expect(problems.filter((problem) => !problem.includes(elsewhere))).toEqual([])
  })

  it('the home page shows one command at a time, in tabs that the keyboard reaches', async () => {
    const { page } = await open(url)
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    const tabs = ['List', 'Create', 'Query', 'Sell', 'Events', 'Schema']
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.getByRole('tab', { name: 'List' }).focus()
    const [last = ''] = tabs.slice(-1)
    for (const [keys, name] of [
      ...tabs.slice(1).map((name) => ['ArrowRight', name] as const),
      ['ArrowRight', 'List'],
      ['ArrowLeft', last],
      ['Home', 'List'],
      ['End', last],
    ] as const) {
      await page.keyboard.press(keys)
      expect(await focused()).toBe(name)
      expect(await page.getByRole('tab', { selected: true }).allTextContents()).toEqual([name])
      // The panel has the tab's name, and Tab goes there.
      await page.getByRole('tabpanel', { name }).waitFor()
      expect(await page.locator('.home-command:visible').count()).toBe(1)
    }
    // The browser's, to go back.
    await page.keyboard.press('Alt+ArrowLeft')
    expect(await focused()).toBe(last)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Copy')
  })

  it('without scripts, the home page shows all commands', async () => {
    const { page } = await open(url, { javaScriptEnabled: false })
    await page.goto(url)
    expect(await page.locator('.home-command:visible').count()).toBe(6)
    expect(await page.getByRole('tab').count()).toBe(0)
  })

  it.each([
    ['the key of the page', '', 'demo-read-key, read only'],
    ['an entered key', 'entered', 'read only'],
  ])('with %s that only reads, the home page offers no change, and says why', async (_, entered, scope) => {
    const { page, problems } = await open(entered ? elsewhere : url)
    await page.goto(entered ? `${elsewhere}/#key=${readKey}` : url)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('#pet-rows tr').first().waitFor()
    const bar = page.getByRole('banner')
    const changes = page
      .getByRole('button', { name: /^(Create|Sell .*)$/ })
      .or(page.getByRole('tab', { name: /^(Create|Sell)$/ }))
    await bar.getByRole('button', { name: `API key: ${scope}`, exact: true }).waitFor()
    expect(await changes.count()).toBe(0)
    await page.getByRole('tab', { name: 'List' }).press('ArrowRight')
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Query')

    await page.getByRole('button', { name: 'Enter another key' }).click()
    await page.getByLabel('API key', { exact: true }).fill(key)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Create' }).waitFor()
    await page
      .getByRole('button', { name: /^Sell / })
      .first()
      .waitFor()
    await page.getByRole('tab', { name: 'Sell' }).click()
    expect(await bar.getByText('read only').count()).toBe(0)
    // Back to one that reads: the tab that was open is gone.
    await page.getByRole('button', { name: 'API key' }).click()
    await page.getByLabel('API key', { exact: true }).fill(readKey)
    await page.keyboard.press('Enter')
    await bar.getByRole('button', { name: `API key: ${scope}`, exact: true }).waitFor()
    await eventually(async () => expect(await changes.count()).toBe(0))
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('List')
    expect(problems.filter(isUnexpected)).toEqual([])
  })

  it('GraphiQL says that its key only reads, and which sample needs another', async () => {
    const { page } = await open(url)
    await page.goto(`${url}/graphql`)
    await page.getByRole('button', { name: 'API key: demo-read-key, read only' }).waitFor()
    await page.locator('.graphiql-tab-button', { hasText: 'AddPet' }).click()
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'read only' }).waitFor()
    await page.goto(withKey('/graphql'))
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    expect(await page.getByRole('banner').getByText('read only').count()).toBe(0)
  })

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

  it('the docs page has no need of a key, and says when there is none, or that it is not valid', async () => {
    const { page } = await open(elsewhere)
    const text = page.getByText('IDEMPOTENCY_KEY_REUSED')
    await page.goto(`${elsewhere}/docs`)
    await page.getByRole('button', { name: 'API key: none', exact: true }).waitFor()
    await text.waitFor()
    await page.goto(`${elsewhere}/docs#key=not-a-key`)
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await text.waitFor()
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

  it('where only trusted documents run, the home page has no list, and takes the key out of its address too', async () => {
    const manifest = join(directory, 'trusted.json')
    writeFileSync(manifest, '{}')
    const program = startProgram({
      DATA_DIR: join(directory, 'trusted'),
      TRUSTED_DOCUMENTS: manifest,
      TRUSTED_DOCUMENTS_ONLY: 'true',
    })
    const origin = await program.ready
    const { page, problems } = await open(origin)
    await page.goto(`${origin}/#key=${demoKeyOf(program)}`)
    await page.getByRole('button', { name: 'API key: not checked', exact: true }).click()
    expect(page.url()).toBe(`${origin}/`)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Copied commands contain your API key').waitFor()
    expect(program.stdout.join()).not.toContain('list of pets')
    expect(problems.filter(isUnexpected)).toEqual([])
  })

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
    expect(await second.locator('#pet-rows .pet-status:not(.pending)').count()).toBe(0)
    const command = second.locator('.home-command code').first()
    expect(await command.textContent()).toContain(`'${url}/v1/pets?limit=3&status=pending'`)

    // The server's own sentence, at the field.
    await page.getByLabel('Name').fill('Nobody')
    await page.getByLabel('Category').fill('9223372036854775808')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('categoryId must be an integer').waitFor()
    expect(await page.getByLabel('Category').getAttribute('aria-invalid')).toBe('true')
    expect(problems).toEqual([])
  })

  it.each(['reduce', 'no-preference'] as const)(
    'the home page highlights a changed pet once, however often the list is read: reduced motion %s',
    async (reducedMotion) => {
      const { page } = await open(url, { reducedMotion })
      await page.goto(url)
      await page.getByText('Live', { exact: true }).waitFor()
      const name = `Changed, ${reducedMotion}`
      await createClient(url, key).createPet({ name, categoryId: 1, status: 'pending' })
      const row = page.locator('#pet-rows tr.is-changed', { hasText: name })
      const background = () => row.evaluate((element) => getComputedStyle(element).backgroundColor)
      await row.waitFor()
      expect(await background()).not.toBe('rgba(0, 0, 0, 0)')
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 3000))')
      // Another filter removes the row, which is then made again.
      await page.getByRole('radio', { name: 'sold' }).check()
      await row.waitFor({ state: 'detached' })
      await page.getByRole('radio', { name: 'pending' }).check()
      await row.waitFor()
      expect(await background()).toBe('rgba(0, 0, 0, 0)')
    },
  )

  it('on the home page, no name is taken for HTML', async () => {
    const { page, problems } = await open(url)
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    const names = [
      '<img src=x onerror=alert(1)>',
      'very long '.repeat(100),
      'x'.repeat(1000),
      'مرحبا (12)!\u2028x',
    ]
    for (const name of names) await createClient(url, key).createPet({ name, categoryId: 1 })
    await page.locator('#pet-event', { hasText: 'مرحبا' }).waitFor()
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
    await page.goto(withKey())
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
    const buttons = page.getByRole('table', { name: 'Pets' }).getByRole('button', { name: /^Sell / })
    const idsOf = () => buttons.evaluateAll((elements) => elements.map(({ id }) => id))
    const [, next] = await idsOf()
    await page.getByRole('button', { name: 'Sell Focus' }).press('Enter')
    await page.locator('#pet-rows tr', { hasText: 'Focus' }).getByText('sold').waitFor()
    expect(await focused()).toBe(next)
    // Without a next one, to the one before, and without any, to the title.
    await page.getByRole('group', { name: 'Show' }).getByRole('radio', { name: 'pending' }).check()
    await eventually(async () => expect(await page.locator('.pet-status:not(.pending)').count()).toBe(0))
    for (let ids = await idsOf(); ids.length > 0; ids = await idsOf()) {
      await buttons.last().press('Enter')
      await eventually(async () => expect(await idsOf()).toHaveLength(ids.length - 1))
      expect(await focused()).toBe(ids.at(-2) ?? 'pets-title')
    }
  })

  it.each([
    ['the connection is lost', (route: Route) => route.abort('connectionreset')],
    ['a proxy answers', (route: Route) => route.fulfill({ status: 502, body: 'Bad Gateway' })],
    [
      'a gateway answers with JSON',
      (route: Route) => route.fulfill({ status: 504, json: { message: 'Endpoint request timed out' } }),
    ],
    [
      'the database does not answer',
      (route: Route) =>
        route.fulfill({ json: { errors: [{ message: 'Late.', extensions: { code: 'TIMEOUT' } }] } }),
    ],
  ])(
    'the home page says which pet may have been created, until that has been tried again: %s',
    async (how, answer) => {
      const { page } = await open(url)
      await page.goto(withKey())
      await page.getByText('Live', { exact: true }).waitFor()
      const name = `Perhaps, since ${how}`
      // The server creates the pet.
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('CreatePet')) return route.fallback()
        await route.fetch()
        await answer(route)
      })
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Category').fill('1')
      await page.getByRole('button', { name: 'Create' }).click()
      const alert = page.getByRole('alert').getByText(`${name} may have been created.`)
      await alert.waitFor()
      const rows = page.locator('#pet-rows tr', { hasText: name })
      await rows.waitFor()
      // Also after other reads of the list, and another action.
      const other = `Other, while ${how}`
      await createClient(url, key).createPet({ name: other, categoryId: 1, status: 'pending' })
      await page.getByRole('button', { name: `Sell ${other}` }).click()
      await page.locator('#pet-rows tr', { hasText: other }).getByText('sold').waitFor()
      expect(await alert.isVisible()).toBe(true)
      await page.unrouteAll({ behavior: 'wait' })
      // Also after another pet has been created.
      for (const next of [`Another, after ${how}`, name]) {
        await page.getByLabel('Name').fill(next)
        await page.getByLabel('Category').fill('1')
        await page.getByRole('button', { name: 'Create' }).click()
        // Once it has been created.
        await eventually(async () => expect(await page.getByLabel('Name').inputValue()).toBe(''))
      }
      await alert.waitFor({ state: 'detached' })
      expect(await rows.count()).toBe(1)
    },
  )

  it.each(['IDEMPOTENCY_KEY_IN_USE', 'RATE_LIMITED', 'UNAUTHORIZED'])(
    'the home page creates a pet once, also if a second attempt is answered with %s',
    async (code) => {
      const { page } = await open(url)
      await page.goto(withKey())
      await page.getByText('Live', { exact: true }).waitFor()
      const name = `Once, despite ${code}`
      const answers = ['TIMEOUT', code]
      await page.route('**/graphql', async (route) => {
        const answer = isOperation(route, 'CreatePet') ? answers.shift() : undefined
        if (answer === undefined) return route.fallback()
        // The server creates the pet.
        if (answer === 'TIMEOUT') await route.fetch()
        await fulfillWithError(route, answer)
      })
      const create = page.getByRole('button', { name: 'Create' })
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Category').fill('1')
      await create.click()
      const alert = page.locator('#pet-problem', { hasText: `${name} may have been created.` })
      await alert.waitFor()
      await create.click()
      if (code === 'UNAUTHORIZED') {
        await page.getByLabel('API key', { exact: true }).fill(key)
        await page.keyboard.press('Enter')
      } else {
        // It is still not known.
        await alert.getByText(`Answered with ${code}.`).waitFor()
      }
      await create.click()
      await eventually(async () => expect(await page.getByLabel('Name').inputValue()).toBe(''))
      const query = 'query ($name: String!) { pets(filter: { namePrefix: $name }) { totalCount } }'
      const { data } = await createClient(url, key).graphql(query, { name })
      expect(data).toEqual({ pets: { totalCount: 1 } })
    },
  )

  it('the home page keeps what is entered while a pet is being created', async () => {
    const { page } = await open(url)
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    const held = await holdNext(page, 'CreatePet')
    await page.getByLabel('Name').fill('Slowly')
    await page.getByLabel('Category').fill('1')
    await page.getByRole('button', { name: 'Create' }).click()
    const route = await held.route
    await page.getByLabel('Name').fill('The next')
    await route.fallback()
    await page.locator('#pet-rows tr', { hasText: 'Slowly' }).waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('The next')
  })

  it('the home page says only of attempts with the same key that a pet may have been created', async () => {
    const { page } = await open(url)
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    const answers = ['TIMEOUT', 'RATE_LIMITED']
    await page.route('**/graphql', (route) => {
      const answer = isOperation(route, 'CreatePet') ? answers.shift() : undefined
      return answer === undefined ? route.fallback() : fulfillWithError(route, answer)
    })
    const create = page.getByRole('button', { name: 'Create' })
    await page.getByLabel('Name').fill('Of two owners')
    await page.getByLabel('Category').fill('1')
    await create.click()
    const problem = page.locator('#pet-problem')
    await problem.getByText('Of two owners may have been created.').waitFor()
    // Another key for this page; to the server, it is the same.
    await page.route('**/graphql', (route) => {
      const headers = { ...route.request().headers(), authorization: `Bearer ${key}` }
      return route.request().method() === 'POST' ? route.fallback({ headers }) : route.fallback()
    })
    await page.getByRole('button', { name: 'API key' }).click()
    await page.getByLabel('API key', { exact: true }).fill('key-of-another-owner')
    await page.keyboard.press('Enter')
    await create.click()
    await problem.getByText('Answered with RATE_LIMITED.').waitFor()
    expect(await problem.textContent()).toBe('Answered with RATE_LIMITED.')
  })

  it('the home page shows no problem of a read after which it has read another list', async () => {
    const { page } = await open(url)
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('#pet-rows tr').first().waitFor()
    const held = await holdNext(page, 'Pets')
    const filter = page.getByRole('group', { name: 'Show' })
    await filter.getByRole('radio', { name: 'available' }).check()
    const route = await held.route
    await filter.getByRole('radio', { name: 'sold' }).check()
    await eventually(async () => expect(await page.locator('.pet-status:not(.sold)').count()).toBe(0))
    await answerHeld(page, route, 'TIMEOUT')
    expect(await page.locator('#pet-problem').textContent()).toBe('')
  })

  it.each([
    ['Pets', (page: Page) => page.getByRole('radio', { name: 'pending' }).check()],
    ['CreatePet', (page: Page) => page.getByRole('button', { name: 'Create' }).click()],
    [
      'UpdatePet',
      (page: Page) =>
        page
          .getByRole('button', { name: /^Sell / })
          .first()
          .click(),
    ],
  ])('the home page shows no problem of an earlier key: %s', async (operation, act) => {
    const { page } = await open(url)
    await createClient(url, key).createPet({ name: 'For sale', categoryId: 1, status: 'available' })
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByLabel('Name').fill('Of an earlier key')
    await page.getByLabel('Category').fill('1')
    const held = await holdNext(page, operation)
    await act(page)
    const route = await held.route
    await page.getByRole('button', { name: 'API key' }).click()
    const field = page.getByLabel('API key', { exact: true })
    await field.fill(readKey)
    await page.keyboard.press('Enter')
    await page.getByText('This API key is read-only').waitFor()
    await answerHeld(page, route, 'UNAUTHORIZED')
    expect(await field.isVisible()).toBe(false)
    expect(await page.locator('#pet-problem').textContent()).toBe('')
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

  it('the home page sends a sale once, however often the list is read meanwhile', async () => {
    const { page } = await open(url)
    const other = createClient(url, key)
    await other.createPet({ name: 'For one sale', categoryId: 1, status: 'available' })
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    const sell = page.getByRole('button', { name: 'Sell For one sale' })
    const held = await holdNext(page, 'UpdatePet')
    await sell.click()
    const sale = await held.route
    const sales: string[] = []
    page.on('request', (request) => sales.push(...(request.postData()?.match(/mutation UpdatePet/) ?? [])))
    await other.createPet({ name: 'Meanwhile', categoryId: 1 })
    await page.locator('#pet-rows tr', { hasText: 'Meanwhile' }).waitFor()
    await sell.dispatchEvent('click')
    await sale.continue()
    await page.locator('#pet-rows tr', { hasText: 'For one sale' }).getByText('sold').waitFor()
    expect(sales).toEqual([])
  })

  it('the home page shows steady events, also if each read of the list takes longer than they do', async () => {
    const { page } = await open(url)
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('#pet-rows tr').first().waitFor()
    await page.route('**/graphql', async (route) => {
      if (isOperation(route, 'Pets')) await new Promise((resolve) => setTimeout(resolve, 1000))
      await route.fallback()
    })
    const other = createClient(url, key)
    const first = page.locator('#pet-rows tr', { hasText: 'Steady 0' })
    for (let number = 0; !(await first.isVisible()); number += 1) {
      expect(number).toBeLessThan(20)
      await other.createPet({ name: `Steady ${number}`, categoryId: 1 })
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))')
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it.each<[string, (route: Route) => Promise<void>, string]>([
    ['no answer', (route) => route.abort('connectionreset'), 'The server cannot be reached.'],
    [
      'no database',
      (route) => fulfillWithError(route, 'DATABASE_UNAVAILABLE'),
      'Answered with DATABASE_UNAVAILABLE.',
    ],
    ['too many requests', (route) => fulfillWithError(route, 'RATE_LIMITED'), 'Answered with RATE_LIMITED.'],
  ])('the home page reads the list again after a read that has failed: %s', async (how, fail, text) => {
    const { page } = await open(url)
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('#pet-rows tr').first().waitFor()
    let isAway = true
    await page.route('**/graphql', (route) =>
      isAway && isOperation(route, 'Pets') ? fail(route) : route.fallback(),
    )
    const name = `Again, after ${how}`
    await createClient(url, key).createPet({ name, categoryId: 1 })
    await page.locator('#pet-event', { hasText: name }).waitFor()
    // The reads after the events are over.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 700))')
    const problem = page.getByRole('alert').getByText(text)
    await problem.waitFor()
    isAway = false
    await page.locator('#pet-rows tr', { hasText: name }).waitFor()
    await problem.waitFor({ state: 'detached' })
  })

  it('a fault of the home page is in the console, and the server is not blamed', async () => {
    const { page, problems } = await open(url)
    let reads = 0
    // Nothing that the page can expect.
    await page.route('**/graphql', (route) => {
      if (!isOperation(route, 'Pets')) return route.fallback()
      reads += 1
      return route.fulfill({ json: { data: {} } })
    })
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await eventually(() => expect(problems.length).toBeGreaterThan(0))
    // It would have been tried again by then.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1500))')
    expect(await page.locator('#pet-problem').textContent()).toBe('')
    expect(problems[0]).toContain('nodes')
    // One with the key, and one with the events.
    expect(reads).toBe(2)
  })

  it('the home page asks for a key where it has none, and keeps it', async () => {
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
    await page.getByRole('button', { name: 'API key' }).click()
    await field.fill(key)
    await field.press('Enter')
    await page.getByText('Copied commands contain your API key').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(problems.filter(isUnexpected)).toEqual([])
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

  it('the home page notices a network that forwards nothing more, and becomes live again', async () => {
    const { page } = await open(url)
    await page.clock.install()
    const network = await startProxy(url)
    await page.goto(`${network.url}#key=${key}`)
    await page.getByText('Live', { exact: true }).waitFor()
    void network.silence(true)
    await page.clock.fastForward(31_000)
    await page.getByText('Not live').waitFor()
    await page.getByRole('link', { name: 'not reachable' }).waitFor()
    await createClient(url, key).createPet({ name: 'Silence', categoryId: 1 })
    void network.silence(false)
    await eventually(async () => {
      // What was sent into the silence is given up, too.
      await page.clock.fastForward(31_000)
      expect(await page.getByText('Live', { exact: true }).isVisible()).toBe(true)
    })
    await page.locator('#pet-rows tr', { hasText: 'Silence' }).waitFor()
    await page.getByRole('link', { name: 'ready', exact: true }).waitFor()
    await network.close()
  })

  it('GraphiQL asks for a key once, for all tabs, and keeps it for the session', async () => {
    const { page, problems } = await open(elsewhere)
    await page.goto(`${elsewhere}/graphql`)
    const field = page.getByLabel('API key', { exact: true })
    await page.getByText('Enter an API key to begin.').waitFor()
    expect(await page.getByRole('main').count()).toBe(1)
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
    // The schema is there, and its links open in a tab of their own.
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.locator('a.graphiql-doc-explorer-type-name', { hasText: /^Query$/ }).click()
    await page.getByText('GET /v1/pets', { exact: true }).first().waitFor()
    await page
      .locator('a.graphiql-doc-explorer-type-name', { hasText: /^Node$/ })
      .first()
      .click()
    await page
      .context()
      .route('https://relay.dev/**', (route) => route.fulfill({ body: 'The specification' }))
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Relay global object identification specification' }).click()
    const specification = await opened
    await specification.getByText('The specification').waitFor()
    expect(specification.url()).toBe('https://relay.dev/graphql/objectidentification.htm')
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

  it('of two keys that are being checked, the home page takes the later one', async () => {
    const { page } = await open(url)
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    const field = page.getByLabel('API key', { exact: true })
    const held = await holdCheck(page)
    await page.getByRole('button', { name: 'API key' }).click()
    await field.fill(key)
    await page.keyboard.press('Enter')
    const route = await held.route
    await field.fill(readKey)
    await page.keyboard.press('Enter')
    await page.getByText('This API key is read-only').waitFor()
    await answerHeld(page, route, 'NOT_OF_THE_KEY')
    await page.getByRole('button', { name: 'API key: demo-read-key, read only', exact: true }).waitFor()
  })

  it.each(['Escape', 'Cancel'])('%s gives up a key that is being checked', async (how) => {
    const { page } = await open(url)
    await page.goto(withKey('/graphql'))
    const editor = page.locator('.graphiql-query-editor .view-line').first()
    const field = page.getByLabel('API key', { exact: true })
    await editor.waitFor()
    const held = await holdCheck(page)
    await page.getByRole('button', { name: 'API key' }).click()
    await field.fill(readKey)
    await page.keyboard.press('Enter')
    const route = await held.route
    if (how === 'Cancel') await page.getByRole('button', { name: 'Cancel' }).click()
    else await field.press('Escape')
    await editor.waitFor()
    await answerHeld(page, route, 'FORBIDDEN')
    await page.getByRole('button', { name: 'API key: may write', exact: true }).waitFor()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(readKey)
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
    const link = page.getByRole('link', { name: 'GraphQL equivalent: listPets' }).first()
    await page.goto(new URL((await link.getAttribute('href')) ?? '', elsewhere).href)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    expect(problems.filter(isUnexpected)).toEqual([])
  })

  /** GraphiQL's tabs are buttons within elements with the role tab. */
  const OF_GRAPHIQL = ['nested-interactive']

  /** @param tolerated the ids of axe's rules */
  async function findViolations(page: Page, tolerated: readonly string[] = []): Promise<unknown[]> {
    // In a function of its own, since the policy forbids further scripts.
    const run = `(async () => {
      const module = { exports: {} }
      ;(function (module) { ${axe} })(module)
      return module.exports.run(document, {
        resultTypes: ['violations'],
        // At least 24 pixels, or as far from the next one.
        rules: { 'target-size': { enabled: true } },
      })
    })()`
    const { violations } = await page.evaluate<AxeResults>(run)
    return violations
      .filter(({ id }) => !tolerated.includes(id))
      .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  }

  it.each(['null', '{"code": '])(
    'the docs page takes no notice of a response with the body %s',
    async (body) => {
      const { page, problems } = await open(url)
      await page.route('**/v1/pets*', (route) => route.fulfill({ contentType: 'application/json', body }))
      const dialog = await openRequest(page, `${url}/docs`, 'listPets')
      await sendRequest(dialog)
      await dialog.getByText('200 OK').waitFor()
      expect(problems).toEqual([])
    },
  )

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
      for (const viewport of [PHONE, NARROW, DESKTOP]) {
        await page.setViewportSize(viewport)
        // The editor of GraphiQL takes the new width a moment later.
        await eventually(async () => expect(await page.evaluate('scrollTo(1000, 0), scrollX')).toBe(0))
        await page.getByRole('banner').getByRole('button', { name: 'API key' }).click({ trial: true })
        expect(await findViolations(page, tolerated)).toEqual([])
      }
      expect(problems).toEqual([])
    })

    it('the dot of each status and the edge of a field can be seen', async () => {
      const { page } = await open(url, { colorScheme })
      const name = `A pet in ${colorScheme} colours`
      for (const status of [{}, { status: 'available' }, { status: 'pending' }, { status: 'sold' }])
        await createClient(url, key).createPet({ name, categoryId: 1, ...status })
      await page.goto(url)
      const dots = page.locator('#pet-rows tr', { hasText: name }).locator('.pet-status')
      await eventually(async () => expect(await dots.count()).toBe(4))
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      for (const dot of await dots.all()) {
        const color = await dot.evaluate((element) => {
          const { backgroundColor, borderTopColor } = getComputedStyle(element, '::before')
          return backgroundColor === 'rgba(0, 0, 0, 0)' ? borderTopColor : backgroundColor
        })
        // WCAG 1.4.11.
        expect(contrastOf(color, background)).toBeGreaterThan(3)
      }
      const edge = await page.locator('#key').evaluate((field) => getComputedStyle(field).borderTopColor)
      expect(contrastOf(edge, background)).toBeGreaterThan(3)
    })
  })

  // The second one is a phone's less a scroll bar.
  it.each([320, 378, 390, 480])(
    'at a width of %d, no bar covers the docs page, and its tables are wide enough',
    async (width) => {
      const { page } = await open(url, { viewport: { width, height: 700 } })
      await page.goto(`${url}/docs`)
      const row = page.getByRole('row', { name: 'UNSUPPORTED_MEDIA_TYPE' })
      await row.scrollIntoViewIfNeeded()
      await eventually(async () => {
        const bar = await page.getByRole('banner').boundingBox()
        const header = await page.locator('.t-doc__header').boundingBox()
        expect(header?.y).toBe(bar?.height)
      })
      expect((await row.getByRole('cell').last().boundingBox())?.width).toBeGreaterThan(150)
    },
  )

  it.each([NARROW, PHONE])('on a phone, each pet has one column: %j', async (viewport) => {
    const { page } = await open(url, { viewport })
    const name = `Waldemar the ${viewport.width}th`
    await createClient(url, key).createPet({ name, categoryId: Number.MAX_SAFE_INTEGER, status: 'available' })
    const other = `Wanda the ${viewport.width}th`
    await createClient(url, key).createPet({ name: other, categoryId: 1, status: 'pending' })
    await page.goto(withKey())
    const row = page.getByRole('row', { name })
    const header = row.getByRole('rowheader', { name })
    // The list is read again when the events begin.
    await page.getByText('Live', { exact: true }).waitFor()
    await eventually(async () => expect((await header.boundingBox())?.width).toBeGreaterThan(170))
    await row.getByRole('cell', { name: String(Number.MAX_SAFE_INTEGER) }).waitFor()
    // What it is, as the header of the column says elsewhere.
    expect(
      await row
        .getByRole('cell')
        .nth(1)
        .evaluate((cell) => getComputedStyle(cell, '::before').content),
    ).toBe('"Category "')
    await row.getByRole('button', { name: `Sell ${name}` }).click({ trial: true })
    // Short values are one line, which goes on below the button.
    const cells = page.getByRole('row', { name: other }).getByRole('cell')
    await eventually(async () => {
      const top = (await cells.nth(2).boundingBox())?.y
      expect(top).toBeGreaterThan(0)
      expect(top).toBe((await cells.nth(0).boundingBox())?.y)
    })
  })

  it.each([680, 768, 1200, 1440])('at a width of %d, no number of a pet is broken', async (width) => {
    const { page } = await open(url, { viewport: { width, height: 900 } })
    const name = `A number at ${width}`
    const [lowest, one] = ['-9223372036854775808', '1']
    const query = `mutation ($name: String!, $a: Int64!, $b: Int64!) {
      a: createPet(input: { name: $name, categoryId: $a }) { id }
      b: createPet(input: { name: $name, categoryId: $b }) { id }
    }`
    await createClient(url, key).graphql(query, { name, a: lowest, b: one })
    await page.goto(url)
    const heightOf = async (category: string) =>
      (await page.getByRole('row', { name: `${name} ${category}` }).boundingBox())?.height
    await page.getByText('Live', { exact: true }).waitFor()
    await eventually(async () => {
      const height = await heightOf(lowest)
      expect(height).toBeGreaterThan(0)
      expect(height).toBe(await heightOf(one))
    })
  })

  it('where the system chooses the colours, the selected tab differs from the others', async () => {
    const { page } = await open(url, { forcedColors: 'active' })
    /** The edges of elements, as far as they can be seen. */
    const edges = (selector: string) =>
      page.locator(selector).evaluateAll((elements) =>
        elements.map((element) => {
          const { borderBottomColor, outlineStyle } = getComputedStyle(element)
          return `${borderBottomColor} ${outlineStyle}`
        }),
      )
    const expectOne = async (selector: string) => {
      const [selected, ...others] = await edges(selector)
      expect(others.length).toBeGreaterThan(0)
      expect(others).not.toContain(selected)
    }
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await expectOne('#command-tabs button')
    // The others do not cover the line below them.
    const covers = await page.locator('#command-tabs').evaluate((list) => {
      const lineTop = list.getBoundingClientRect().top + list.clientTop + list.clientHeight
      const others = list.querySelectorAll('[aria-selected=false]')
      return Array.from(others, (tab) => tab.getBoundingClientRect().bottom > lineTop)
    })
    expect(covers).toEqual(Array(5).fill(false))
    await page.goto(`${url}/graphql`)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    await expectOne('.graphiql-tab')
    await page.getByRole('button', { name: 'Variables' }).click()
    await page.locator('.graphiql-editor-tools button.active').waitFor()
    await expectOne('.graphiql-editor-tools button')
    for (const panel of ['.graphiql-editors', '.graphiql-response'])
      expect(await page.locator(panel).evaluate((element) => getComputedStyle(element).borderTopStyle)).toBe(
        'solid',
      )
  })

  it('at 200 %, GraphiQL has lines to write in', async () => {
    const { page } = await open(url, { viewport: { width: 640, height: 360 } })
    await page.goto(`${url}/graphql`)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    const countLines = () =>
      page.locator('.graphiql-query-editor .monaco-editor').evaluate((editor) => {
        const { bottom } = editor.getBoundingClientRect()
        const lines = Array.from(editor.querySelectorAll('.view-line'))
        return lines.filter((line) => line.getBoundingClientRect().bottom <= bottom).length
      })
    await eventually(async () => expect(await countLines()).toBeGreaterThanOrEqual(7))
  })

  it('GraphiQL has a hint where there is no result yet', async () => {
    const { page } = await open(url)
    const hint = () =>
      page.locator('.result-window').evaluate((element) => getComputedStyle(element, '::after').content)
    await page.goto(`${url}/graphql`)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    expect(await hint()).not.toBe('none')
    await runTab(page, 'AvailablePets', '"Rex"')
    expect(await hint()).toBe('none')
  })

  it('the home page begins with one line of its name, a sentence and the status', async () => {
    const { page } = await open(url, { viewport: DESKTOP })
    await page.goto(url)
    await page.locator('#status.is-ready').waitFor()
    const parts = page.locator('h1, .home-intro p')
    const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()))
    expect(boxes).toHaveLength(3)
    const bottoms = boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0))
    expect(Math.max(...bottoms) - Math.min(...bottoms)).toBeLessThan(12)
    expect((await page.locator('.site-card:visible').first().boundingBox())?.y).toBeLessThan(120)
    // The bar has the icon only.
    await page.getByRole('banner').getByRole('link', { name: 'Pet Store', exact: true }).waitFor()
    expect(await page.getByRole('banner').getByText('Pet Store').isVisible()).toBe(false)
  })

  it.each([
    ['/', '.home-intro h1'],
    ['/nothing', 'main h1'],
    ['/graphql', '#key-page h1'],
  ])('the text of %s begins where the bar does', async (path, title) => {
    const { page } = await open(elsewhere, { viewport: DESKTOP })
    await page.goto(`${elsewhere}${path}`)
    const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x
    await page.locator(title).waitFor()
    expect(await left(title)).toBe(await left('.site-name'))
  })

  it('the label of the key keeps away from its field', async () => {
    const { page } = await open(elsewhere)
    await page.goto(elsewhere)
    await page.getByLabel('API key', { exact: true }).waitFor()
    const label = await page.locator('.key-form label').boundingBox()
    const field = await page.locator('#key').boundingBox()
    // The outline of the focus has 4 of them.
    expect((field?.x ?? 0) - (label?.x ?? 0) - (label?.width ?? 0)).toBeGreaterThanOrEqual(12)
  })

  it('the page at an unknown address leads to the others; axe finds nothing', async () => {
    const { page } = await open(url)
    for (const [link, heading] of [
      ['Pets', 'Pet Store'],
      ['REST API', 'Pet Store'],
      ['GraphiQL', 'GraphiQL'],
    ] as const) {
      await page.goto(`${url}/a/b`)
      expect(await findViolations(page)).toEqual([])
      await page.getByRole('main').getByRole('link', { name: link }).click()
      await page.getByRole('heading', { level: 1, name: heading }).first().waitFor()
    }
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

/** Whether a page sends an operation of the GraphQL API. @param name of the operation */
function isOperation(route: Route, name: string): boolean {
  return new RegExp(`(query|mutation) ${name}\\b`).test(route.request().postData() ?? '')
}

/** Answers a request of a page as the GraphQL API does. @param code of the error */
function fulfillWithError(route: Route, code: string): Promise<void> {
  return route.fulfill({ json: { errors: [{ message: `Answered with ${code}.`, extensions: { code } }] } })
}

/** Holds the next request for an operation. @returns its route, which the page has to be answered by */
function holdNext(page: Page, name: string): Promise<{ route: Promise<Route> }> {
  return hold(page, (route) => isOperation(route, name))
}

/** Holds the next request that checks an entered key. */
function holdCheck(page: Page): Promise<{ route: Promise<Route> }> {
  return hold(page, isCheck)
}

function isCheck(route: Route): boolean {
  return route.request().postData()?.includes('"mutation {') ?? false
}

async function hold(page: Page, isMeant: (route: Route) => boolean): Promise<{ route: Promise<Route> }> {
  const { promise, resolve } = Promise.withResolvers<Route>()
  let isHeld = false
  await page.route('**/graphql', (route) => {
    if (isHeld || !isMeant(route)) return route.fallback()
    isHeld = true
    resolve(route)
  })
  return { route: promise }
}

/** Answers a request that was held, and gives the page time to do something wrong with that. */
async function answerHeld(page: Page, route: Route, code: string): Promise<void> {
  await fulfillWithError(route, code)
  await (await route.request().response())?.finished()
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))')
}

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

/** The contrast of two colours (WCAG 2.2), each as `rgb(r, g, b)`. */
function contrastOf(...colors: [string, string]): number {
  const [lighter = 0, darker = 0] = colors
    .map((color) => {
      const [r = 0, g = 0, b = 0] = (color.match(/\d+/g) ?? []).map((value) => {
        const part = Number(value) / 255
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    })
    .sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}
