import { expect, it } from 'vitest'
import { renderPage } from '../../../src/pages/page.ts'

it('a setting cannot end the script', () => {
  const site = { graphiql: true, readKey: null }
  const settings = { samples: '</script><script>alert(1)</script>' }
  const page = renderPage('docs.html', site, { places: { library: 'scalar' } }, settings)
  expect(page.match(/<\/script>/g)).toHaveLength(3)
})
