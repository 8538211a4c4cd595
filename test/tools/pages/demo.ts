/** A demo server for the tests in a file, whose pages they open in a browser, and what several files do there. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page, Request, Route } from 'playwright-core'
import { afterAll } from 'vitest'
import { copyDataDirectory } from '../../support/database.ts'
import { useDirectory } from '../../support/directory.ts'
import { eventually } from '../../support/eventually.ts'
import { demoKeyOf, endPrograms, startProgram } from '../../support/process.ts'

/** A wide window at 400 % (WCAG 1.4.10). */
export const NARROW = { width: 320, height: 700 }
export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1440, height: 900 }

/** On the home page, if the server has put the demo's key into it. */
export const READ_ONLY_HINT = 'Copied commands contain a read-only key'
/** A browser reports the 403 by which a page learns that an entered key only reads. */
export const isUnexpected = (problem: string): boolean => !problem.includes('403 (Forbidden)')

export interface Demo {
  url: string
  /** The same server under a name for which its pages have no key. */
  elsewhere: string
  /** A key that writes. */
  key: string
  readKey: string
  /** The address of a page, with that key, as the server prints it. */
  withKey: (path?: string) => string
  /** A temporary one. */
  directory: string
}

/** Starts a server for the tests of a file, on a database of its own. */
export async function startDemo(): Promise<Demo> {
  const directory = useDirectory()
  afterAll(endPrograms)
  const data = join(directory, 'data')
  copyDataDirectory(data)
  const program = startProgram({ DATA_DIR: data })
  const url = await program.ready
  const key = demoKeyOf(program)
  return {
    url,
    elsewhere: url.replace('127.0.0.1', 'pets.localhost'),
    key,
    readKey: readFileSync(join(data, 'demo-read-key'), 'utf8').trim(),
    withKey: (path = '/') => `${url}${path}#key=${key}`,
    directory,
  }
}

/** Whether a page sends an operation of the GraphQL API. @param name of the operation */
export function isOperation(route: Route, name: string): boolean {
  return new RegExp(`(query|mutation) ${name}\\b`).test(route.request().postData() ?? '')
}

/** Answers a request of a page as the GraphQL API does. @param code of the error */
export function fulfillWithError(route: Route, code: string): Promise<void> {
  return route.fulfill({ json: { errors: [{ message: `Answered with ${code}.`, extensions: { code } }] } })
}

/** Whether a page sends the check of an entered key. */
export function isCheck(route: Route): boolean {
  return route.request().postData()?.includes('"mutation {') ?? false
}

/** Opens a tab of GraphiQL, and runs its document. */
export async function runTab(page: Page, title: string, answer: string): Promise<void> {
  await page.locator('.graphiql-tab-button', { hasText: title }).click()
  await page.locator('.graphiql-query-editor .view-line', { hasText: title }).first().waitFor()
  // GraphiQL ignores a click while it still reads the tab.
  await eventually(async () => {
    const isSent = (request: Request) => request.postData()?.includes(title) ?? false
    await Promise.all([
      page.waitForRequest(isSent, { timeout: 1_000 }),
      page.click('.graphiql-execute-button'),
    ])
  })
  await page.locator('.result-window .view-line', { hasText: answer }).first().waitFor()
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page, by rule. @param tolerated the ids of axe's rules */
export async function findViolations(page: Page, tolerated: readonly string[] = []): Promise<unknown[]> {
  // In a function of its own, since the policy forbids further scripts.
  const run = `(async () => {
    const module = { exports: {} }
    ;(function (module) { ${axe} })(module)
    return module.exports.run(document, {
      resultTypes: ['violations'],
      // At least 24 pixels, or as far from the next one.
      rules: { 'target-size': { enabled: true } },
    })
  })()`
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations
    .filter(({ id }) => !tolerated.includes(id))
    .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}
