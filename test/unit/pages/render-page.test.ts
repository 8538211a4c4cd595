import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renderPage } from '../../../src/pages/render-page.ts'

const SITE = { graphiql: true, readKey: null }

it('a setting cannot end the script', () => {
  const settings = { samples: '</script><script>alert(1)</script>' }
  const page = renderPage(SITE, { page: 'docs', places: { library: 'scalar' }, settings })
  expect(page.match(/<\/script>/g)).toHaveLength(3)
})

it.each([
  ['that its file does not have', { library: 'scalar', libary: '' }],
  ['that all pages share', { library: 'scalar', bar: '' }],
])('a page with a place %s is an error', (_, places) => {
  expect(() => renderPage(SITE, { page: 'docs', places })).toThrow(/\{\{(libary|bar)\}\}/)
})

it.each([
  ['docs', [true, false]],
  ['graphiql', [false, true]],
] as const)('the bar marks the link to the page %s', (page, expected) => {
  const html = renderPage(SITE, { page, places: { library: 'library' } })
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
