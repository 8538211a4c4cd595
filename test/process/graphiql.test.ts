/** GraphiQL as its readers see it: in a real browser, on the embedded demo. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endPrograms, startProgram } from '../support/process.ts'

const executablePath = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find(existsSync)
if (!executablePath) console.warn('GraphiQL is not tested: there is no Chromium here (CHROMIUM names one).')

describe.skipIf(!executablePath)('GraphiQL', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-'))
  let browser: Browser
  let url: string
  beforeAll(async () => {
    const program = startProgram({ DATA_DIR: directory })
    url = await program.ready
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

  async function runSample(page: Page): Promise<string> {
    await page.click('.graphiql-execute-button')
    const result = page.locator('.result-window', { hasText: '"data"' })
    await result.waitFor()
    return (await result.textContent()) ?? ''
  }

  it('runs its sample query with the demo key, also after a reload, and asks nobody else for anything', async () => {
    const page = await browser.newPage()
    const asked: string[] = []
    const failures: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('pageerror', (error) => failures.push(error.message))
    page.on('console', (message) => message.type() === 'error' && failures.push(message.text()))

    await page.goto(`${url}/graphql`)
    expect(await page.title()).toBe('Pet Store: GraphiQL')
    expect(await runSample(page)).toContain('"Rex"')
    await page.reload()
    expect(await runSample(page)).toContain('"Rex"')

    expect(asked.filter((address) => !address.startsWith(url) && !/^(blob|data):/.test(address))).toEqual([])
    expect(failures).toEqual([])
    await page.close()
  })

  it('documents the graph', async () => {
    const page = await browser.newPage()
    await page.goto(`${url}/graphql`)
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.locator('a.graphiql-doc-explorer-type-name', { hasText: /^Query$/ }).click()
    await page.getByText('The animals of the inventory, oldest first').waitFor({ timeout: 10_000 })
    await page.close()
  })
})
