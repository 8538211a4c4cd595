/** The page of GraphiQL: what it gives to the library, which a function of the tests stands for. */
import { beforeEach, expect, it, vi } from 'vitest'
import { answerRequests, createErrorResponse, loadScript, showLibraryPage } from '../../support/page.ts'

const SAMPLES = [
  { query: '{ a }', variables: null },
  { query: 'query ($id: ID!) { b(id: $id) }', variables: '{"id": "1"}' },
] as const
const render = vi.fn()

beforeEach(() => {
  render.mockReset()
  vi.stubGlobal('YogaGraphiQL', { renderYogaGraphiQL: render })
  answerRequests(() => createErrorResponse('FORBIDDEN'))
})

const element = (id: string) => document.getElementById(id)

/** Opens the page, and lets the script of the library have run. @param search of its address */
async function open(search = '', key: string | null = 'page-key'): Promise<void> {
  history.replaceState(null, '', `/shop/graphql${search}`)
  const settings = { samples: SAMPLES, workers: './files/workers', maxTargetLength: 60 }
  showLibraryPage({ page: 'graphiql', ...settings }, key)
  await loadScript('pages/assets/graphiql/graphiql.js')
  window.dispatchEvent(new Event('DOMContentLoaded'))
}

interface Options {
  initialQuery: string
  initialVariables: string
  defaultTabs: unknown[]
  defaultEditorToolsVisibility: unknown
  endpoint: string
  additionalHeaders: object
  onTabChange: (state: GraphiqlTabs) => void
}
async function opened(): Promise<Options> {
  await vi.waitFor(() => expect(render).toHaveBeenCalledOnce())
  return (render.mock.calls[0] as [unknown, Options])[1]
}

it('sends requests to the address of the page, with the key', async () => {
  await open()
  expect(element('root')?.textContent).toBe('Loading…')
  expect(await opened()).toMatchObject({
    endpoint: '/shop/graphql',
    additionalHeaders: { Authorization: 'Bearer page-key' },
  })
  expect(render.mock.calls[0]?.[0]).toBe(element('root'))
})

it('starts the workers of the editor from the files of the library', async () => {
  await open()
  await opened()
  const { MonacoEnvironment } = self as unknown as {
    MonacoEnvironment: { getWorkerUrl: (_: string, label: string) => string }
  }
  expect(MonacoEnvironment.getWorkerUrl('', 'json')).toBe('./files/workers/json.js')
})

it('asks for a key before it begins', async () => {
  await open('', null)
  await vi.waitFor(() => expect(element('key-page')?.hidden).toBe(false))
  expect(element('graphiql')?.hidden).toBe(true)
  await new Promise((resolve) => setTimeout(resolve))
  expect([render.mock.calls, element('root')?.textContent]).toEqual([[], 'Loading…'])
})

const LINK = `?${new URLSearchParams({ query: '{ linked }', variables: '{"x": 1}' }).toString()}`
const OPEN_LAST = { query: '{ last }', variables: null }

it.each([
  ['the tab in the address', LINK, OPEN_LAST, '{ linked }', '{"x": 1}'],
  ['the tab in the address, without variables', '?query={ linked }', OPEN_LAST, '{ linked }', ''],
  ['the tab that was open last', '', OPEN_LAST, '{ last }', ''],
  ['the first sample', '', null, '{ a }', ''],
])('begins with %s', async (_, search, last, query, variables) => {
  if (last) {
    const state = { tabs: [{ query: '{ other }', variables: null }, last], activeTabIndex: 1 }
    localStorage.setItem('graphiql:tabState', JSON.stringify(state))
  }
  await open(search)
  const { initialQuery, initialVariables, defaultTabs, defaultEditorToolsVisibility } = await opened()
  expect([initialQuery, initialVariables]).toEqual([query, variables])
  expect(defaultTabs.slice(-2)).toEqual(SAMPLES)
  expect(defaultTabs).toHaveLength(search ? 3 : 2)
  expect(defaultEditorToolsVisibility).toBe(variables ? 'variables' : false)
})

it.each(['{', 'null', '{"tabs": []}', '{"tabs": [], "activeTabIndex": 3}'])(
  'begins with the first sample where the state of the tabs is %s',
  async (state) => {
    localStorage.setItem('graphiql:tabState', state)
    await open()
    expect((await opened()).initialQuery).toBe('{ a }')
  },
)

it('the address describes the open tab, unless it would be too long for the server', async () => {
  await open('?other=1')
  const { onTabChange } = await opened()
  const show = (query: string | null, variables: string | null = null) => {
    onTabChange({
      tabs: [
        { query: '{ z }', variables: null },
        { query, variables },
      ],
      activeTabIndex: 1,
    })
    return location.pathname + location.search
  }
  expect(show('{ a }', '{}')).toBe('/shop/graphql?other=1&query=%7B+a+%7D&variables=%7B%7D')
  expect(show('{ a }')).toBe('/shop/graphql?other=1&query=%7B+a+%7D')
  expect(show(null)).toBe('/shop/graphql?other=1')
  // '/shop/graphql?other=1&query=' and 32 characters are 60.
  expect(show('a'.repeat(32))).toHaveLength(60)
  expect(show('a'.repeat(33))).toBe('/shop/graphql')
})

it('links in the documentation open in a tab of their own, others do not', async () => {
  await open()
  await opened()
  element('root')?.insertAdjacentHTML('beforeend', '<a href="#x"><b>A specification</b></a>')
  const inside = document.querySelector<HTMLAnchorElement>('#root a')
  // Without the default action: the document would follow the link.
  const click = () => new Event('click', { bubbles: true })
  inside?.querySelector('b')?.dispatchEvent(click())
  expect([inside?.target, inside?.rel]).toEqual(['_blank', 'noopener'])
  const outside = document.querySelector<HTMLAnchorElement>('nav a')
  outside?.dispatchEvent(click())
  expect(outside?.target).toBe('')
})

it('asks for another key when a request of the library is rejected', async () => {
  await open()
  await opened()
  await window.fetch('/shop/graphql')
  await vi.waitFor(() => expect(element('key-problem')?.textContent).toBe('It is FORBIDDEN.'))
  expect(element('graphiql')?.hidden).toBe(true)
})
