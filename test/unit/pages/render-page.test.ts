import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renderPage } from '../../../src/pages/page.ts'

it('a setting cannot end the script', () => {
  const site = { graphiql: true, readKey: null }
  const settings = { samples: '</script><script>alert(1)</script>' }
  const page = renderPage('docs.html', site, { places: { library: 'scalar' } }, settings)
  expect(page.match(/<\/script>/g)).toHaveLength(3)
})

/** What it replaces in `window`, the library then finds there; and what the library replaces, it does not use. */
it.each(['docs', 'graphiql'])('%s.html loads the script of the page before the library', (name) => {
  const html = readFileSync(new URL(`../../../src/pages/html/${name}.html`, import.meta.url), 'utf8')
  const scripts = Array.from(
    html.matchAll(/<script (type="module"|defer) src="([^"]+)"/g),
    ([, , file]) => file,
  )
  expect(scripts).toEqual([`./files/pages/assets/${name}.js`, expect.stringContaining('{{library}}')])
})
