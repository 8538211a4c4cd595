/** The form for the key of GraphiQL, and what GraphiQL keeps. */
import { describe, expect, it } from 'vitest'
import { hasBrowser, useBrowser } from '../browser.ts'
import { runTab, startDemo } from './demo.ts'

const { elsewhere, key, url, withKey } = await startDemo()

describe.skipIf(!hasBrowser)('the page of GraphiQL in a browser', () => {
  const open = useBrowser()

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
})
