import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { renderCommands } from '../../../src/pages/home-commands.ts'
import { renderPage } from '../../../src/pages/page.ts'
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

const commands = renderCommands([{ name: 'List', title: 'List', target: 'rest' }], '')
/** Of this folder alone: it relies on nothing that a resource must have. */
const pages = {
  home: { items: 'items', 'key-title': 'Items', list: '', ...commands },
  docs: { library: 'library' },
  graphiql: { library: 'library' },
}
const cases = Object.entries(pages).flatMap(([page, places]) => {
  const html = renderPage(`${page}.html`, { graphiql: true, readKey: null }, { places })
  const [, script = ''] = /src="\.\/files\/pages\/assets\/([\w-]+\.js)"/.exec(html) ?? []
  return idsIn(Array.from(scriptsFrom(script), read)).map((id) => ({ page, id, html }))
})

it.each(cases)('the page $page has the element #$id, which a script of it looks for', ({ id, html }) => {
  expect(html).toContain(` id="${id}"`)
})

it('each page has a script that looks for elements', () => {
  expect([...new Set(cases.map(({ page }) => page))]).toEqual(Object.keys(pages))
})

it('a page has an element with each class that the script of the commands looks for', () => {
  const matches = read('commands.js').matchAll(/querySelectorAll\('\.([\w-]+)'/g)
  const classes = Array.from(matches, ([, name = '']) => name)
  expect(classes).toEqual(['origin', 'home-command', 'api-key'])
  for (const name of classes) expect(commands.panels).toContain(`class="${name}"`)
})
