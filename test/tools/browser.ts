/** A real browser, if the machine has one. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

const executablePath = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find(existsSync)
if (!executablePath) console.warn('Skipped: Chromium was not found. Set CHROMIUM to its path.')

export const hasBrowser = executablePath !== undefined

export interface OpenPage {
  page: Page
  /** What goes wrong on it: errors, and requests to other servers. */
  problems: string[]
}

/**
 * Starts a browser before the tests in a describe block.
 * @returns opens a page for a test, without cookies or storage, which may load from `origin`
 */
export function useBrowser(): (origin: string, options?: BrowserContextOptions) => Promise<OpenPage> {
  let browser: Browser
  beforeAll(async () => {
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
  afterAll(() => browser.close())
  return async (origin, options) => {
    const page = await browser.newPage(options)
    onTestFinished(() => page.context().close())
    page.setDefaultTimeout(120_000)
    const problems: string[] = []
    page.on('request', (request) => {
      const address = request.url()
      if (!address.startsWith(origin) && !/^(blob|data):/.test(address)) problems.push(`requested ${address}`)
    })
    page.on('pageerror', (error) => problems.push(error.message))
    // These include violations of the content security policy.
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    return { page, problems }
  }
}

/** Opens a page in a browser that keeps no site data, so that reading `sessionStorage` throws. @param directory a new one */
export async function openWithoutStorage(directory: string): Promise<Page> {
  mkdirSync(join(directory, 'Default'), { recursive: true })
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } }
  writeFileSync(join(directory, 'Default', 'Preferences'), JSON.stringify(preferences))
  const context = await chromium.launchPersistentContext(directory, {
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  })
  onTestFinished(() => context.close())
  return context.newPage()
}

/** Opens the request of an operation on the docs page. @param docs the page's URL */
export async function openRequest(page: Page, docs: string, operationId: string): Promise<Locator> {
  await page.goto(`${docs}#tag/pets/${operationId}`)
  await page
    .locator(`section[id$="/${operationId}"]`)
    .getByRole('button', { name: /Test Request/ })
    .click()
  return page.getByRole('dialog')
}

export async function sendRequest(dialog: Locator): Promise<void> {
  await dialog.locator('[data-addressbar-action=send]').first().click()
}
