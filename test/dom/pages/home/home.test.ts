/** The home page with its key: what its list and its commands get. */
import { beforeEach, expect, it, vi } from 'vitest'
import type { HomeContent } from '../../../../src/pages/home-page.ts'
import { Html } from '../../../../src/pages/template.ts'
import { answerRequests, createErrorResponse, loadScript, showHomePage } from '../../support/page.ts'

const CONTENT: HomeContent = {
  items: 'items',
  restPath: '/items',
  list: { title: 'Items', html: new Html('<p>The items</p>') },
  commands: [{ name: 'List', title: 'List', target: 'rest' }],
}
const element = (id: string) => document.getElementById(id)
const isShown = (id: string) => element(id)?.hidden === false

/** Loads the page's script. @returns the keys that its list has been shown with */
async function start(): Promise<unknown[]> {
  const shown: unknown[] = []
  const { onKey } = (await loadScript('pages/assets/home/home.js')) as {
    onKey: (show: (key: unknown) => void) => void
  }
  onKey((key) => shown.push(key))
  return shown
}

beforeEach(() => {
  answerRequests(({ key }) =>
    key === null
      ? new Response('')
      : createErrorResponse(key.startsWith('wrong') ? 'UNAUTHORIZED' : 'FORBIDDEN'),
  )
})

it('with the key of the page, the list is shown, and the button in the bar says which key it is', async () => {
  showHomePage(CONTENT, 'page-key')
  const shown = await start()
  await vi.waitFor(() => expect(shown).toEqual([{ token: 'page-key', scope: 'read' }]))
  expect([isShown('list'), isShown('key-page')]).toEqual([true, false])
  expect(element('change-key')?.innerText.trim()).toBe('API key: demo-read-key, read only')
})

it('with a key in the address, the list is shown with that, and the address forgets it', async () => {
  history.replaceState(null, '', '/shop/#key=of-the-address')
  showHomePage(CONTENT, 'page-key')
  const shown = await start()
  await vi.waitFor(() => expect(shown).toEqual([{ token: 'of-the-address', scope: 'read' }]))
  expect(location.href).toMatch(/\/shop\/$/)
  expect(isShown('key-name')).toBe(false)
})

it('without a key, the form is shown in place of the list, which gets the key that is entered', async () => {
  showHomePage(CONTENT)
  const shown = await start()
  await vi.waitFor(() => expect(isShown('key-page')).toBe(true))
  expect(isShown('list')).toBe(false)
  const field = element('key') as HTMLInputElement
  field.value = 'entered'
  field.form?.requestSubmit()
  await vi.waitFor(() => expect(shown).toEqual([{ token: 'entered', scope: 'read' }]))
  expect([isShown('list'), isShown('key-page')]).toEqual([true, false])
})

it('a page without a list needs no key, but takes one for its commands', async () => {
  showHomePage({ ...CONTENT, list: null })
  await start()
  await vi.waitFor(() => expect(isShown('change-key')).toBe(true))
  expect(isShown('key-page')).toBe(false)
  element('change-key')?.click()
  expect([isShown('key-page'), element('key-title')?.textContent]).toEqual([true, 'API key'])
  const field = element('key') as HTMLInputElement
  field.value = 'entered'
  field.form?.requestSubmit()
  await vi.waitFor(() => expect(isShown('key-page')).toBe(false))
  expect(element('key-state')?.textContent).toBe('read only')
  expect(document.querySelector('[data-api-key]')?.textContent).toBe('••••••••')
})
