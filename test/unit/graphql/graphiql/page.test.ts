import { expect, it } from 'vitest'
import { graphiqlPolicy, renderGraphiqlPage } from '../../../../src/graphql/graphiql/page.ts'

const workers = { editorWorkerService: '/w1', json: '/w2', graphql: '/w3' }
const render = (secret: string | null) =>
  renderGraphiqlPage({
    files: { script: '/script.js', style: '/style.css', workers },
    secret,
    nonce: 'n0nce',
  })

it('the page has the API key filled in, or leaves that to the user', () => {
  expect(render('secret')).toContain('Bearer secret')
  expect(render(null)).toContain('Bearer \\u003cAPI_KEY>')
})

it('a value cannot end the script', () => {
  expect(render('</script><script>alert(1)</script>').match(/<\/script>/g)).toHaveLength(2)
})

it('the policy allows the scripts of the page, and no others', () => {
  const page = render(null)
  expect([...page.matchAll(/<script nonce="(.*?)"/g)].map(([, nonce]) => nonce)).toEqual(['n0nce', 'n0nce'])
  expect(page.match(/<script/g)).toHaveLength(2)
  expect(graphiqlPolicy('n0nce').split('; ')).toEqual(
    expect.arrayContaining([`default-src 'none'`, `script-src 'nonce-n0nce'`, `frame-ancestors 'none'`]),
  )
})

it('the page loads the given files', () => {
  for (const file of ['/script.js', '/style.css', ...Object.values(workers)]) {
    expect(render(null)).toContain(`"${file}"`)
  }
})
