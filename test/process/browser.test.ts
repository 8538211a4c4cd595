/** The pages as their readers see them: in a real browser, on the embedded demo. */
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
if (!executablePath) console.warn('The pages are not tested: there is no Chromium here (CHROMIUM names one).')

describe.skipIf(!executablePath)('in a browser', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-'))
  let browser: Browser
  let url: string
  let key: string
  beforeAll(async () => {
    const program = startProgram({ DATA_DIR: directory })
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

  /** A new page, and all that went wrong on it: errors, and requests to anybody but us. */
  async function openPage(): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('request', (request) => {
      const address = request.url()
      if (!address.startsWith(url) && !/^(blob|data):/.test(address)) complaints.push(`asked ${address}`)
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    return { page, complaints }
  }

  /** Waits until both editors are filled in, runs what is in them, and gives back what comes of it. */
  async function runSample(page: Page): Promise<string> {
    await page.locator('.view-line', { hasText: 'AvailablePets' }).waitFor()
    await page.locator('.view-line', { hasText: 'Bearer' }).waitFor()
    await page.click('.graphiql-execute-button')
    const result = page.locator('.result-window .view-line', { hasText: /"(data|errors)"/ })
    await result.first().waitFor()
    return (await page.locator('.result-window').textContent()) ?? ''
  }

  it('GraphiQL runs its sample query with the demo key, also after a reload, and asks nobody else for anything', async () => {
    const { page, complaints } = await openPage()
    await page.goto(`${url}/graphql`)
    expect(await page.title()).toBe('Pet Store: GraphiQL')
    expect(await runSample(page)).toContain('"Rex"')
    // It keeps its tabs half a second after they change.
    await page.waitForFunction(`localStorage.getItem('graphiql:tabState')?.includes('AvailablePets')`)
    await page.reload()
    expect(await runSample(page)).toContain('"Rex"')
    expect(await page.locator('.graphiql-tab').count()).toBe(1)

    expect(complaints).toEqual([])
    await page.close()
  })

  it('GraphiQL documents the graph', async () => {
    const page = await browser.newPage()
    await page.goto(`${url}/graphql`)
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.locator('a.graphiql-doc-explorer-type-name', { hasText: /^Query$/ }).click()
    await page.getByText('The animals of the inventory, oldest first').waitFor({ timeout: 10_000 })
    await page.close()
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
    await page.locator('.view-line', { hasText: 'listPets' }).waitFor()
    await page.locator('.view-line', { hasText: 'Bearer' }).waitFor()
    await page.click('.graphiql-execute-button')
    await page.locator('.result-window .view-line', { hasText: '"Rex"' }).first().waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })
})
