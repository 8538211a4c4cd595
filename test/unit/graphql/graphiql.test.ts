import { expect, it } from 'vitest'
import { renderGraphiqlPage } from '../../../src/graphql/graphiql.ts'

const files = {
  'graphiql.css': '/library.css',
  'graphiql.js': '/library.js',
  'editorWorkerService.js': '/w1',
  'json.js': '/w2',
  'graphql.js': '/w3',
}
const assets = { 'page.css': '/page.css', 'graphiql.css': '/own.css', 'graphiql.js': '/own.js' }
const samples = [{ query: '{ __typename }', variables: null }]
const render = (key: string | null, isDemo = false) => renderGraphiqlPage(files, assets, samples, key, isDemo)

it('the page has the API key filled in, or leaves that to the user', () => {
  expect(render('secret')).toContain('"key":"secret"')
  expect(render(null)).toContain('"key":null')
})

it('the form says where the demo key is, on the demo only', () => {
  expect(render(null, true)).toContain('.data/demo-key')
  expect(render(null)).not.toContain('demo-key')
})

it('the page has the tabs of the first visit', () => {
  expect(render(null)).toContain('"samples":[{"query":"{ __typename }","variables":null}]')
})

it('a value cannot end the script', () => {
  expect(render('</script><script>alert(1)</script>').match(/<\/script>/g)).toHaveLength(3)
})

it('the page loads the given files', () => {
  for (const file of [...Object.values(assets), ...Object.values(files)])
    expect(render(null)).toContain(`"${file}"`)
  expect(render(null)).toContain('"workers":{"editorWorkerService":"/w1","json":"/w2","graphql":"/w3"}')
})
