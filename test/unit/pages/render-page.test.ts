import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renderPage } from '../../../src/pages/render-page.ts'
import type { PageSettings } from '../../../src/pages/settings.ts'

const SITE = { graphiql: true, readKey: null }
const DOCS: PageSettings = { page: 'docs', contract: '', equivalents: {} }
const GRAPHIQL: PageSettings = {
  page: 'graphiql',
  samples: [{ query: '', variables: null }],
  workers: '',
  maxTargetLength: 0,
}

it('a setting cannot end the script', () => {
  const settings = { ...DOCS, contract: '</script><script>alert(1)</script>' }
  const page = renderPage(SITE, { settings, values: { library: 'scalar' } }, null)
  expect(page.match(/<\/script>/g)).toHaveLength(3)
})

it.each([
  ['that its file does not have', { library: 'scalar', libary: '' }],
  ['that all pages share', { library: 'scalar', bar: '' }],
])('a page with a value %s is an error', (_, values) => {
  expect(() => renderPage(SITE, { settings: DOCS, values }, null)).toThrow(/\{\{(libary|bar)\}\}/)
})

it.each([
  [DOCS, [true, false]],
  [GRAPHIQL, [false, true]],
])('the bar marks the link to the page $page', (settings, expected) => {
  const html = renderPage(SITE, { settings, values: { library: 'library' } }, null)
  const isCurrent = ['docs', 'graphql'].map((path) => html.includes(`"./${path}" aria-current="page"`))
  expect(isCurrent).toEqual(expected)
})

/** What our script replaces in `window`, the library finds there; and what the library replaces, our script does not use. */
it.each(['docs', 'graphiql'])('%s.html loads the script of the page before the library', (name) => {
  const html = readFileSync(new URL(`../../../src/pages/html/${name}.html`, import.meta.url), 'utf8')
  const scripts = Array.from(
    html.matchAll(/<script (type="module"|defer) src="([^"]+)"/g),
    ([, , file]) => file,
  )
  expect(scripts).toEqual([`./files/pages/assets/${name}/${name}.js`, expect.stringContaining('{{library}}')])
})
