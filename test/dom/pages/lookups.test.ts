/** Each page has what its scripts look for. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import type { HomeContent } from '../../../src/pages/home-page.ts'
import type { PageName } from '../../../src/pages/settings.ts'
import { Html } from '../../../src/pages/template.ts'
import { selectorsFor } from '../support/lookups.ts'
import { showHomePage, showLibraryPage, showNotFoundPage } from '../support/page.ts'

/** Of this folder alone: it relies on nothing that a resource must have. */
const HOME: HomeContent = {
  items: 'items',
  restPath: '/items',
  list: { title: 'Items', html: new Html('<p>The items</p>') },
  commands: [{ name: 'Create', title: 'Create', target: 'rest', changes: true }],
}
const pages: Record<PageName | 'not-found', () => string> = {
  home: () => showHomePage(HOME),
  docs: () => showLibraryPage({ page: 'docs', contract: '', equivalents: {} }),
  graphiql: () =>
    showLibraryPage({
      page: 'graphiql',
      samples: [{ query: '', variables: null }],
      workers: '',
      maxTargetLength: 0,
    }),
  'not-found': showNotFoundPage,
}

it.each(Object.entries(pages))('the page %s has all that its scripts look for', (page, show) => {
  const selectors = selectorsFor(show())
  // All pages have the button for the key. The page of an unknown path has no script, which would show the button.
  expect(selectors.includes('#change-key')).toBe(page !== 'not-found')
  expect(selectors.filter((selector) => document.querySelector(selector) === null)).toEqual([])
})

it('the home page has what its commands and their tabs name', () => {
  expect(selectorsFor(pages.home())).toEqual(expect.arrayContaining(['#code-create', '#command-create']))
})

/** Those of scalar-repairs.js are Scalar's. */
it('scripts look for elements of a page only by the functions of dom.js, and name them by a literal', () => {
  const sources = join(import.meta.dirname, '../../../src')
  const others = globSync('*/assets/**/*.js', { cwd: sources }).filter(
    (file) => !['dom.js', 'scalar-repairs.js'].includes(basename(file)),
  )
  expect(others).not.toEqual([])
  const offences = others.filter((file) => {
    const script = readFileSync(join(sources, file), 'utf8')
    return /document\.(querySelector|getElement)|(querySelector(All)?|closest)\('[^']*[.#]|\bbyId\([^']/.test(
      script,
    )
  })
  expect(offences).toEqual([])
})
