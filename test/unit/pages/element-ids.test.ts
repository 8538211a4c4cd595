import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeHomePage, type HomeContent } from '../../../src/pages/home-page.ts'
import { renderPage } from '../../../src/pages/render-page.ts'
import { idsIn } from '../../support/pages.ts'

const ASSETS = join(import.meta.dirname, '../../../src/pages/assets')
const read = (file: string) => readFileSync(join(ASSETS, file), 'utf8')

/** The scripts that a script imports, with itself. */
function scriptsFrom(file: string, found = new Set<string>()): Set<string> {
  found.add(file)
  for (const [, imported = ''] of read(file).matchAll(/^import [^'(]*'\.\/([\w-]+\.js)'/gm))
    if (!found.has(imported)) scriptsFrom(imported, found)
  return found
}

/** Of this folder alone: it relies on nothing that a resource must have. */
const home: HomeContent = {
  items: 'items',
  restPath: '/items',
  list: null,
  commands: [{ name: 'List', title: 'List', target: 'rest' }],
}
const pages = [
  describeHomePage({ content: home, origin: '' }),
  { page: 'docs', places: { library: 'library' } },
  { page: 'graphiql', places: { library: 'library' } },
] as const
const cases = pages.flatMap((content) => {
  const { page } = content
  const html = renderPage({ graphiql: true, readKey: null }, content)
  const [, script = ''] = /src="\.\/files\/pages\/assets\/([\w-]+\.js)"/.exec(html) ?? []
  return idsIn(Array.from(scriptsFrom(script), read)).map((id) => ({ page, id, html }))
})

it.each(cases)('the page $page has the element #$id, which a script of it looks for', ({ id, html }) => {
  expect(html).toContain(` id="${id}"`)
})

it('each page has a script that looks for elements', () => {
  expect([...new Set(cases.map(({ page }) => page))]).toEqual(pages.map(({ page }) => page))
})
