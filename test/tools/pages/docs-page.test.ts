/** The docs page: keys, requests, and integers. */
import { describe, expect, it } from 'vitest'
import { hasBrowser, openRequest, sendRequest, useBrowser } from '../browser.ts'
import { DESKTOP, PHONE, findViolations, isUnexpected, startDemo } from './demo.ts'
import { eventually } from '../../support/eventually.ts'

const { elsewhere, key, readKey, url, withKey } = await startDemo()

describe.skipIf(!hasBrowser)('the docs page in a browser', () => {
  const open = useBrowser()

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
})
