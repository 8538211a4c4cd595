/** The home page but for its list: the commands, and the key. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasBrowser, useBrowser } from '../browser.ts'
import { READ_ONLY_HINT, isUnexpected, startDemo } from './demo.ts'
import { eventually } from '../../support/eventually.ts'
import { demoKeyOf, startProgram } from '../../support/process.ts'

const { directory, elsewhere, key, readKey, url, withKey } = await startDemo()

describe.skipIf(!hasBrowser)('the home page in a browser', () => {
  const open = useBrowser()

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
})
