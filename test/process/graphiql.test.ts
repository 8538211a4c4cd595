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

  /** Waits until both editors are filled in, runs what is in them, and gives back what comes of it. */
  async function runSample(page: Page): Promise<string> {
    await page.locator('.view-line', { hasText: 'AvailablePets' }).waitFor()
    await page.locator('.view-line', { hasText: 'Bearer' }).waitFor()
    await page.click('.graphiql-execute-button')
    const result = page.locator('.result-window .view-line', { hasText: /"(data|errors)"/ })
    await result.first().waitFor()
    return (await page.locator('.result-window').textContent()) ?? ''
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
    // It keeps its tabs half a second after they change.
    await page.waitForFunction(`localStorage.getItem('graphiql:tabState')?.includes('AvailablePets')`)
    await page.reload()
    expect(await runSample(page)).toContain('"Rex"')
    expect(await page.locator('.graphiql-tab').count()).toBe(1)

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
