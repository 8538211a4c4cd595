/**
 * docs.css, scalar-repairs.js and graphiql.css correct Scalar and GraphiQL by what these have inside, which no version has to keep: each of their
 * selectors must find something. One that no longer does is to be adapted, or removed with what it corrected.
 */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REPAIRS } from '../../src/pages/assets/docs/scalar-repairs.js'
import { hasBrowser, openRequest, useBrowser } from './browser.ts'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { endPrograms, startProgram } from '../support/process.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }

/** Notes which selectors `querySelectorAll` is called with, and finds something by: what REPAIRS finds is different a moment later. */
const WATCH = `
  const { querySelectorAll } = Document.prototype
  const found = new Set()
  Document.prototype.querySelectorAll = function (selector) {
    const elements = querySelectorAll.call(this, selector)
    if (elements.length > 0) found.add(selector)
    return elements
  }
  Object.assign(window, { found })`

/** The selectors of a style sheet of ours, and whether each finds something now; states and pseudo-elements are left out of them. */
const SCAN = (sheet: string) => `
  const rulesOf = (parent) =>
    [...parent.cssRules].flatMap((rule) => ('selectorText' in rule ? [rule] : rulesOf(rule)))
  const sheet = [...document.styleSheets].find(({ href }) => href?.endsWith('/pages/assets/${sheet}'))
  rulesOf(sheet).map(({ selectorText }) => {
    const selector = selectorText.replace(/::[\\w-]+/g, '').replace(/:(hover|focus)(?![\\w-])/g, '')
    return [selectorText, document.querySelector(selector) !== null]
  })`

describe.skipIf(!hasBrowser)('in a browser', () => {
  const open = useBrowser()
  const data = join(useDirectory(), 'data')
  let url: string
  beforeAll(async () => {
    copyDataDirectory(data)
    url = await startProgram({ DATA_DIR: data }).ready
  })
  afterAll(endPrograms)

  /** Looks at a page in several states. @returns the selectors of a style sheet that have found nothing in any */
  function watchSheet(page: Page, sheet: string): { look: () => Promise<void>; missing: () => string[] } {
    const isFound = new Map<string, boolean>()
    return {
      look: async () => {
        for (const [selector, found] of await page.evaluate<[string, boolean][]>(SCAN(sheet)))
          isFound.set(selector, found || isFound.get(selector) === true)
      },
      missing: () => [...isFound].filter(([, found]) => !found).map(([selector]) => selector),
    }
  }

  it('each selector of docs.css and scalar-repairs.js finds something of Scalar', async () => {
    expect(REPAIRS.length).toBeGreaterThan(0)
    const styles: string[][] = []
    const repairs: string[][] = []
    for (const [colorScheme, viewport] of [
      ['light', DESKTOP],
      ['dark', PHONE],
    ] as const) {
      const { page } = await open(url, { colorScheme, viewport })
      await page.addInitScript(WATCH)
      const { look, missing } = watchSheet(page, 'docs/docs.css')
      await page.goto(`${url}/docs`)
      await page.getByText('IDEMPOTENCY_KEY_REUSED').waitFor()
      await look()
      const dialog = await openRequest(page, `${url}/docs`, 'createPet')
      await dialog.locator('.cm-content').last().waitFor()
      await look()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      await look()
      styles.push(missing())
      const found = await page.evaluate<string[]>('[...found]')
      const selectors = REPAIRS.map(([selector]) => selector)
      repairs.push(selectors.filter((selector) => !found.includes(selector)))
    }
    const inAll = ([first = [], ...others]: string[][]) =>
      first.filter((selector) => others.every((list) => list.includes(selector)))
    expect(inAll(styles)).toEqual([])
    expect(inAll(repairs)).toEqual([])
  })

  it('each selector of graphiql.css finds something of GraphiQL', async () => {
    const { page } = await open(url, { viewport: PHONE })
    const { look, missing } = watchSheet(page, 'graphiql/graphiql.css')
    await page.goto(`${url}/graphql`)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    await look()
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.locator('a.graphiql-doc-explorer-type-name', { hasText: /^Query$/ }).click()
    await page.getByText('GET /v1/pets', { exact: true }).first().waitFor()
    await look()
    // Its description has a link.
    await page
      .locator('a.graphiql-doc-explorer-type-name', { hasText: /^Node$/ })
      .first()
      .click()
    await page.getByRole('link', { name: 'Relay global object identification specification' }).waitFor()
    await look()
    expect(missing()).toEqual([])
  })
})
