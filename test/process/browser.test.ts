/** The pages as their readers see them: in a real browser, on the embedded demo. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../support/client.ts'
import { endPrograms, startProgram } from '../support/process.ts'

const executablePath = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find(existsSync)
if (!executablePath) console.warn('The pages are not tested: there is no Chromium here (CHROMIUM names one).')

describe.skipIf(!executablePath)('in a browser', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-'))
  let browser: Browser
  let url: string
  let key: string
  beforeAll(async () => {
    // GraphiQL is usable all the same.
    const manifest = join(directory, 'trusted-documents.json')
    writeFileSync(manifest, '{}')
    const program = startProgram({
      DATA_DIR: directory,
      TRUSTED_DOCUMENTS: manifest,
      TRUSTED_DOCUMENTS_ONLY: 'true',
    })
    url = await program.ready
    key = /Bearer ([\w-]+)/.exec(program.stdout.join('\n'))?.[1] ?? ''
    browser = await chromium.launch({
      ...(executablePath && { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  })
  afterAll(async () => {
    await browser.close()
    await endPrograms()
    rmSync(directory, { recursive: true, force: true })
  })

  /** A new page as at a first visit, and all that went wrong on it: errors, and requests to anybody but us. */
  async function openPage(): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('request', (request) => {
      const address = request.url()
      if (!address.startsWith(url) && !/^(blob|data):/.test(address)) complaints.push(`asked ${address}`)
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    // What the policy forbids is among them.
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    return { page, complaints }
  }

  /** Opens a tab, and waits until its query and its key are filled in, and it is known what can be run in it. */
  async function openTab(page: Page, title: string): Promise<void> {
    await page.locator('.graphiql-tab-button', { hasText: title }).click()
    await waitForTab(page, title)
    await expect.poll(() => page.evaluate(`localStorage.getItem('graphiql:query')`)).toMatch(title)
  }

  async function waitForTab(page: Page, title: string): Promise<void> {
    await page.locator('.graphiql-tab-active', { hasText: title }).waitFor()
    await page.locator('.graphiql-query-editor .view-line', { hasText: title }).first().waitFor()
    await page.locator('.graphiql-editor-tool .view-line', { hasText: key }).waitFor()
  }

  /** Runs what is in the open tab; where it asks, the operation of this name. */
  async function run(page: Page, operation?: string): Promise<void> {
    await page.click(`.graphiql-execute-button${operation ? '[aria-haspopup]' : ':not([aria-haspopup])'}`)
    if (operation) await page.getByRole('menuitem', { name: operation }).click()
  }

  const resultLine = (page: Page, text: string) =>
    page.locator('.result-window .view-line', { hasText: text }).first()

  const tabTitles = (page: Page) => page.locator('.graphiql-tab-button').allTextContents()

  /** It keeps its tabs half a second after they change. */
  const waitUntilKept = (page: Page, title: string) =>
    expect
      .poll(() =>
        page.evaluate(`{
          const state = JSON.parse(localStorage.getItem('graphiql:tabState'))
          state?.tabs[state.activeTabIndex].title
        }`),
      )
      .toBe(title)

  const SAMPLES = ['AvailablePets', 'AddPet', 'PetsByName', 'PetChanges']

  it('GraphiQL opens with sample tabs that run as they are, with the demo key, and asks nobody else for anything', async () => {
    const { page, complaints } = await openPage()
    await page.goto(`${url}/graphql`)
    expect(await page.title()).toBe('Pet Store: GraphiQL')
    await waitForTab(page, 'AvailablePets')
    expect(await tabTitles(page)).toEqual(SAMPLES)
    await run(page)
    await resultLine(page, '"Rex"').waitFor()

    await openTab(page, 'AddPet')
    await run(page, 'AddPet')
    await resultLine(page, '"Waffles"').waitFor()
    await run(page, 'ChangePet')
    await resultLine(page, '"sold"').waitFor()

    await openTab(page, 'PetsByName')
    await run(page)
    await resultLine(page, '"hasNextPage": true').waitFor()

    await openTab(page, 'PetChanges')
    await run(page)
    // It does not say since when it listens.
    const client = createClient(url, key)
    await expect
      .poll(
        async () => {
          await client.send('/v1/pets', { method: 'POST', body: { name: 'Biscuit', categoryId: 1 } })
          return resultLine(page, '"Biscuit"').isVisible()
        },
        { timeout: 10_000 },
      )
      .toBe(true)

    expect(complaints).toEqual([])
    await page.close()
  })

  it('GraphiQL takes up its tabs where they were left', async () => {
    const { page, complaints } = await openPage()
    await page.goto(`${url}/graphql`)
    await waitForTab(page, 'AvailablePets')
    await openTab(page, 'AddPet')
    await waitUntilKept(page, 'AddPet')
    // By its bare address as well as by the one that it has now.
    for (const address of [page.url(), `${url}/graphql`]) {
      await page.goto(address)
      await waitForTab(page, 'AddPet')
      expect(await tabTitles(page)).toEqual(SAMPLES)
    }
    // The variables are there again too.
    await run(page, 'AddPet')
    await resultLine(page, '"Waffles"').waitFor()

    expect(complaints).toEqual([])
    await page.close()
  })

  it('a link opens its query and its variables in a tab of its own', async () => {
    const { page, complaints } = await openPage()
    const link = (name: string, id: string) =>
      `${url}/graphql?${new URLSearchParams({
        query: `query ${name}($id: ID!) { pet(id: $id) { name } }`,
        variables: JSON.stringify({ id }),
      }).toString()}`
    const follow = async (address: string, title: string, answer: string) => {
      await page.goto(address)
      await waitForTab(page, title)
      await run(page)
      await resultLine(page, answer).waitFor()
      await waitUntilKept(page, title)
      return tabTitles(page)
    }
    expect(await follow(link('GetLuna', '2'), 'GetLuna', '"Luna"')).toEqual(['GetLuna', ...SAMPLES])
    // Where there are tabs already, it comes last; but none twice.
    expect(await follow(link('GetRex', '1'), 'GetRex', '"Rex"')).toEqual(['GetLuna', ...SAMPLES, 'GetRex'])
    expect(await follow(link('GetLuna', '2'), 'GetLuna', '"Luna"')).toEqual(['GetLuna', ...SAMPLES, 'GetRex'])

    expect(complaints).toEqual([])
    await page.close()
  })

  it('GraphiQL documents, completes and tidies up, within its policy', async () => {
    const { page, complaints } = await openPage()
    await page.goto(`${url}/graphql`)
    await waitForTab(page, 'AvailablePets')
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.locator('a.graphiql-doc-explorer-type-name', { hasText: /^Query$/ }).click()
    await page.getByText('The animals of the inventory').first().waitFor()

    await page.locator('.graphiql-query-editor .view-line', { hasText: 'totalCount' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type('    pageIn')
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'pageInfo' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type(' { endCursor }')
    await page.click('[aria-label^="Prettify"]')
    await page.locator('.graphiql-query-editor .view-line', { hasText: /^\s*endCursor$/ }).waitFor()
    await run(page)
    await resultLine(page, '"Rex"').waitFor()
    expect(complaints).toEqual([])

    // What is not the page's own does not run.
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'self.injected = true'
      document.body.append(script)
    }`)
    expect(await page.evaluate('self.injected')).toBeUndefined()
    expect(complaints).toHaveLength(1)
    expect(complaints[0]).toContain('Content Security Policy')
    await page.close()
  })

  it('a program may not bring documents where only trusted ones are served, though GraphiQL may', async () => {
    const { errors } = await createClient(url, key).graphql('{ __typename }')
    expect(errors).toMatchObject([{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }])
  })

  it('the docs page shows the contract, marks what is deprecated, links to GraphiQL, and tries requests with a key', async () => {
    const { page, complaints } = await openPage()
    await page.goto(`${url}/docs`)
    const deprecated = page.locator('.opblock-deprecated')
    await deprecated.waitFor()
    expect(await deprecated.textContent()).toMatch(/pets\/.*petId.*5 December 2030.*use GET \/pets/)

    await page.click('.btn.authorize')
    await page.fill('.auth-container input', key)
    await page.click('.auth-btn-wrapper .authorize')
    await page.click('.auth-btn-wrapper .btn-done')
    await page.click('#operations-pets-listPets .opblock-summary-control')
    await page.click('#operations-pets-listPets .execute')
    const answer = page.locator('#operations-pets-listPets .live-responses-table .response-col_description')
    await answer.getByText('"Rex"').first().waitFor()
    expect(complaints).toEqual([])

    const link = page.locator('#operations-pets-listPets .opblock-description a')
    await page.goto(new URL((await link.getAttribute('href')) ?? '', url).href)
    await waitForTab(page, 'listPets')
    await run(page)
    await resultLine(page, '"Rex"').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })
})
