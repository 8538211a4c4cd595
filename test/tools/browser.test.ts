/** GraphiQL in a real browser, on the embedded database; the folder pages tests what it shares with other pages. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, type OpenPage, openRequest, sendRequest, useBrowser } from './browser.ts'
import { createClient } from '../support/client.ts'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { startPrefixProxy } from '../support/prefix-proxy.ts'
import { demoKeyOf, endPrograms, startProgram } from '../support/process.ts'

describe.skipIf(!hasBrowser)('GraphiQL in a browser', () => {
  const directory = useDirectory()
  const open = useBrowser()
  let url: string
  let key: string
  beforeAll(async () => {
    const data = join(directory, 'data')
    copyDataDirectory(data)
    const program = startProgram({ DATA_DIR: data })
    url = await program.ready
    key = demoKeyOf(program)
  })
  afterAll(endPrograms)

  const openPage = (origin = url): Promise<OpenPage> => open(origin)

  /** Opens a tab, and waits until its query has been filled in. */
  async function openTab(page: Page, title: string): Promise<void> {
    await page.locator('.graphiql-tab-button', { hasText: title }).click()
    await waitForTab(page, title)
    await eventually(async () =>
      expect(await page.evaluate(`localStorage.getItem('graphiql:query')`)).toMatch(title),
    )
  }

  async function waitForTab(page: Page, title: string): Promise<void> {
    await page.locator('.graphiql-tab-active', { hasText: title }).waitFor()
    await page.locator('.graphiql-query-editor .view-line', { hasText: title }).first().waitFor()
  }

  /** Runs the document in the open tab; if it has several operations, the one with this name. */
  async function run(page: Page, operation?: string): Promise<void> {
    await page.click(`.graphiql-execute-button${operation ? '[aria-haspopup]' : ':not([aria-haspopup])'}`)
    if (operation) await page.getByRole('menuitem', { name: operation }).click()
  }

  const resultLine = (page: Page, text: string) =>
    page.locator('.result-window .view-line', { hasText: text }).first()

  const tabTitles = (page: Page) => page.locator('.graphiql-tab-button').allTextContents()

  /** GraphiQL stores its tabs half a second after a change. */
  const waitUntilStored = (page: Page, title: string) =>
    eventually(async () =>
      expect(
        await page.evaluate(`{
          const state = JSON.parse(localStorage.getItem('graphiql:tabState'))
          state?.tabs[state.activeTabIndex].title
        }`),
      ).toBe(title),
    )

  const SAMPLES = ['AvailablePets', 'AddPet', 'PetsByName', 'PetChanges']

  it('GraphiQL opens with sample tabs that run with the demo key, and loads nothing from other servers', async () => {
    const { page, problems } = await openPage()
    await page.goto(`${url}/graphql#key=${key}`)
    expect(await page.title()).toBe('Pet Store: GraphiQL')
    await waitForTab(page, 'AvailablePets')
    expect(await tabTitles(page)).toEqual(SAMPLES)
    // The first sample has no variables.
    await page.getByRole('button', { name: 'Show editor tools' }).waitFor()
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
    // GraphiQL does not show when the subscription becomes active.
    const client = createClient(url, key)
    await eventually(async () => {
      await client.createPet({ name: 'Biscuit', categoryId: 1 })
      expect(await resultLine(page, '"Biscuit"').isVisible()).toBe(true)
    })

    expect(problems).toEqual([])
  })

  it('GraphiQL keeps its tabs open after a reload', async () => {
    const { page, problems } = await openPage()
    await page.goto(`${url}/graphql#key=${key}`)
    await waitForTab(page, 'AvailablePets')
    await openTab(page, 'AddPet')
    await waitUntilStored(page, 'AddPet')
    // At the current URL, and at the one without parameters.
    for (const address of [page.url(), `${url}/graphql`]) {
      await page.goto(address)
      await waitForTab(page, 'AddPet')
      expect(await tabTitles(page)).toEqual(SAMPLES)
    }
    // With their variables.
    await run(page, 'AddPet')
    await resultLine(page, '"Waffles"').waitFor()

    expect(problems).toEqual([])
  })

  it('a link to GraphiQL opens its query and its variables in a new tab', async () => {
    const { page, problems } = await openPage()
    const link = (name: string, id: string) =>
      `${url}/graphql?${new URLSearchParams({
        query: `query ${name}($id: ID!) { pet(id: $id) { name } }`,
        variables: JSON.stringify({ id }),
      }).toString()}`
    const follow = async (address: string, title: string, answer: string) => {
      await page.goto(address)
      await waitForTab(page, title)
      await page.getByRole('button', { name: 'Hide editor tools' }).waitFor()
      await run(page)
      await resultLine(page, answer).waitFor()
      await waitUntilStored(page, title)
      return tabTitles(page)
    }
    expect(await follow(link('GetLuna', '2'), 'GetLuna', '"Luna"')).toEqual(['GetLuna', ...SAMPLES])
    // After the existing tabs, and never twice.
    expect(await follow(link('GetRex', '1'), 'GetRex', '"Rex"')).toEqual(['GetLuna', ...SAMPLES, 'GetRex'])
    expect(await follow(link('GetLuna', '2'), 'GetLuna', '"Luna"')).toEqual(['GetLuna', ...SAMPLES, 'GetRex'])

    expect(problems).toEqual([])
  })

  it('a document that the server accepts in a link stays in the address', async () => {
    const { page } = await openPage()
    const query = `query GetMany { pets { nodes { ${'name '.repeat(2_000)}} } }`
    await page.goto(`${url}/graphql?${new URLSearchParams({ query }).toString()}`)
    await waitForTab(page, 'GetMany')
    await openTab(page, 'AvailablePets')
    await openTab(page, 'GetMany')
    const documentInAddress = () => new URL(page.url()).searchParams.get('query')
    await eventually(() => expect(documentInAddress()).toBe(query))
  })

  it('documentation, completion and formatting work within the content security policy', async () => {
    const { page, problems } = await openPage()
    await page.goto(`${url}/graphql`)
    await waitForTab(page, 'AvailablePets')
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.locator('a.graphiql-doc-explorer-type-name', { hasText: /^Query$/ }).click()
    await page.getByText('The pets in the inventory').first().waitFor()

    await page.locator('.graphiql-query-editor .view-line', { hasText: 'totalCount' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type('    pageIn')
    // Enter takes the suggestion only once it has the focus.
    await page.locator('.suggest-widget .monaco-list-row.focused', { hasText: 'pageInfo' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'pageInfo' }).waitFor()
    await page.keyboard.type(' { endCursor }')
    await page.click('[aria-label^="Prettify"]')
    await page.locator('.graphiql-query-editor .view-line', { hasText: /^\s*endCursor$/ }).waitFor()
    // A server on a busy machine may answer that the database is too slow.
    await eventually(async () => {
      await run(page)
      await page
        .locator('.result-window .view-line', { hasText: /"(data|errors|message)"/ })
        .first()
        .waitFor()
      expect(await page.locator('.result-window').innerText()).toContain('Rex')
    })
    expect(problems).toEqual([])

    // A foreign script does not run.
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'self.injected = true'
      document.body.append(script)
    }`)
    expect(await page.evaluate('self.injected')).toBeUndefined()
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain('Content Security Policy')
  })

  it('on a phone, the documentation takes the place of the editor, and every button can be reached', async () => {
    const { page, problems } = await open(url, { viewport: { width: 390, height: 844 } })
    await page.goto(`${url}/graphql`)
    await waitForTab(page, 'AvailablePets')
    const buttons = page.locator('.graphiql-sidebar button, .graphiql-toolbar button')
    for (const button of await buttons.all()) await button.click({ trial: true })
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.getByText('All Schema Types').waitFor()
    await page.locator('.graphiql-execute-button').waitFor({ state: 'hidden' })
    await page.click('[aria-label="Hide Documentation Explorer"]')
    await run(page)
    await resultLine(page, '"Rex"').waitFor()
    expect(problems).toEqual([])
  })

  it('GraphiQL and the docs page work behind a proxy that strips a path prefix', async () => {
    const proxy = await startPrefixProxy('/petstore')
    const data = join(directory, 'behind-a-proxy')
    copyDataDirectory(data)
    const program = startProgram({ DATA_DIR: data, BASE_URL: `${proxy.url}/v1` })
    proxy.forwardTo(await program.ready)
    const { page, problems } = await openPage(proxy.url)
    await page.goto(`${proxy.url}/graphql#key=${demoKeyOf(program)}`)
    await waitForTab(page, 'AvailablePets')
    await run(page)
    await resultLine(page, '"Rex"').waitFor()

    await page.goto(`${proxy.url}/docs`)
    await page.getByPlaceholder('Token').fill(demoKeyOf(program))
    const dialog = await openRequest(page, `${proxy.url}/docs`, 'listPets')
    await sendRequest(dialog)
    await dialog.getByText('"Rex"').first().waitFor()
    expect(problems).toEqual([])
    proxy.close()
  })
})
