/** The form that asks for a key, in the HTML of the home page. */
import fc from 'fast-check'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Key } from '../../../../src/pages/assets/key/api-key.js'
import { Html } from '../../../../src/pages/template.ts'
import { answerRequests, createErrorResponse, loadScript, showHomePage } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/key/key-form.js')
type Form = InstanceType<Script['KeyForm']>

const PAGE_KEY = 'page-key'
const WRITES = Response.json({ data: { __typename: 'Mutation' } })

/** Answers the check of a key. A test may replace it. */
let check: (token: string) => Response | Promise<Response>
beforeEach(() => {
  check = (token) => (token.startsWith('wrong') ? createErrorResponse('UNAUTHORIZED') : WRITES.clone())
  answerRequests(({ key }) => check(key ?? ''))
})

const element = (id: string) => {
  const found = document.getElementById(id)
  if (!found) throw new Error(`There is no ${id}`)
  return found
}
const field = () => element('key') as HTMLInputElement

/** What a user sees of the form, the content behind it, and the bar. */
const look = () => ({
  shows: element('key-page').hidden ? 'content' : 'form',
  isContentHidden: element('list').hidden,
  problem: element('key-problem').textContent,
  isInvalid: field().getAttribute('aria-invalid') === 'true',
  canCancel: !element('cancel').hidden,
  bar: element('change-key').hidden
    ? null
    : (element('key-name').hidden ? '' : 'demo-read-key, ') + element('key-state').textContent,
})
type Look = ReturnType<typeof look>
const content = (bar: string): Look => ({
  ...{ shows: 'content', isContentHidden: false, problem: '', isInvalid: false, canCancel: true },
  bar,
})
const form = (bar: string | null, problem = ''): Look => ({
  ...{ shows: 'form', isContentHidden: true, problem, isInvalid: problem !== '', canCancel: bar !== null },
  bar,
})

interface Opened {
  keyForm: Form
  entered: Key[]
}

/** Shows a page, and makes its form work. */
async function open(pageKey: string | null = null): Promise<Opened> {
  showHomePage({
    items: 'items',
    restPath: '/items',
    list: { title: 'Items', html: new Html('<p>The items</p>') },
    commands: [],
  })
  const { KeyForm } = (await loadScript('pages/assets/key/key-form.js')) as Script
  const entered: Key[] = []
  const keyForm = new KeyForm(element('list'), pageKey, (key) => entered.push(key))
  return { keyForm, entered }
}

/** Lets the check of a key that is answered at once end. */
const settle = () => new Promise((resolve) => setTimeout(resolve))

async function enter(token: string): Promise<void> {
  field().value = token
  field().form?.requestSubmit()
  await settle()
}

const pressEscape = () =>
  field().dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))

it('without a key, the form is shown with the focus, and nothing leads away from it', async () => {
  const { keyForm } = await open()
  expect(await keyForm.start()).toBeNull()
  expect(look()).toEqual(form(null))
  expect(document.activeElement).toBe(field())
  pressEscape()
  expect(look()).toEqual(form(null))
})

it('a page that needs no key is shown without one, and says so', async () => {
  const { keyForm } = await open()
  expect(await keyForm.start({ isNeeded: false })).toBeNull()
  expect(look()).toEqual(content('none'))
})

it.each([true, false])('a key of the tab that is rejected is told; needed: %s', async (isNeeded) => {
  history.replaceState(null, '', '/#key=wrong')
  const { keyForm } = await open()
  expect(await keyForm.start({ isNeeded })).toBeNull()
  expect(look()).toEqual(form(isNeeded ? null : 'none', 'It is UNAUTHORIZED.'))
})

it('an accepted key is kept, and leaves nothing in the form', async () => {
  const { keyForm, entered } = await open()
  await keyForm.start()
  await enter('  right ')
  expect(entered).toEqual([{ token: 'right', scope: 'write' }])
  expect(look()).toEqual(content('may write'))
  expect([field().value, sessionStorage.getItem('pet-store:api-key')]).toEqual(['', 'right'])
  expect(document.activeElement).toBe(element('change-key'))
})

it('the key of the page has a name in the bar, also if the user has entered it', async () => {
  const { keyForm } = await open(PAGE_KEY)
  await keyForm.start()
  expect(look()).toEqual(content('demo-read-key, read only'))
  element('change-key').click()
  await enter('right')
  expect(look()).toEqual(content('may write'))
  element('change-key').click()
  await enter(PAGE_KEY)
  expect(look()).toEqual(content('demo-read-key, may write'))
})

it('a rejected key is told, and stays in the form', async () => {
  const { keyForm, entered } = await open()
  await keyForm.start()
  await enter('wrong')
  expect(look()).toEqual(form(null, 'It is UNAUTHORIZED.'))
  expect([entered, field().value, sessionStorage.length]).toEqual([[], 'wrong', 0])
  expect(document.activeElement).toBe(field())
})

it.each([
  ['nothing answers', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['a gateway answers', () => Response.json({ message: 'Endpoint request timed out' }, { status: 504 })],
])('a key that could not be checked may be tried again: %s', async (_, answer) => {
  const { keyForm } = await open()
  await keyForm.start()
  check = answer
  await enter('right')
  expect(look()).toEqual(form(null, 'The server cannot be reached. Try again.'))
})

/** What the server answers before it knows the path, so in the form of REST. */
const HEADERS_TOO_LARGE = { code: 'HEADERS_TOO_LARGE', message: 'They are too large.', status: 431 }

it('a key that is too long for a request is told, and is not used', async () => {
  check = () => Response.json(HEADERS_TOO_LARGE, { status: 431 })
  const { keyForm, entered } = await open()
  await keyForm.start()
  await enter('long')
  expect(look()).toEqual(form(null, 'The API key is too long.'))
  expect([entered, sessionStorage.length]).toEqual([[], 0])
})

it('a key in the address that is too long for a request is told, and is not used', async () => {
  check = () => Response.json(HEADERS_TOO_LARGE, { status: 431 })
  history.replaceState(null, '', '/#key=long')
  const { keyForm } = await open()
  expect(await keyForm.start()).toBeNull()
  expect(look()).toEqual(form(null, 'The API key is too long.'))
})

it('while a key is checked, the problem of an earlier one is not shown', async () => {
  const { keyForm } = await open()
  await keyForm.start()
  await enter('wrong')
  check = () => new Promise(() => undefined)
  await enter('another')
  expect(look()).toEqual(form(null))
})

it.each([
  ['Cancel', () => element('cancel').click()],
  ['Escape', pressEscape],
])('%s leads back to the content, whatever comes of a key that is being checked', async (_, leave) => {
  const { keyForm, entered } = await open(PAGE_KEY)
  await keyForm.start()
  element('change-key').click()
  const { promise, resolve } = Promise.withResolvers<Response>()
  check = () => promise
  await enter('right')
  leave()
  expect(look()).toEqual(content('demo-read-key, read only'))
  resolve(WRITES.clone())
  await settle()
  expect(look()).toEqual(content('demo-read-key, read only'))
  expect([entered, field().value, sessionStorage.length]).toEqual([[], '', 0])
})

it('a rejected request of a library asks for another key, and the content stays behind the form', async () => {
  const { keyForm } = await open(PAGE_KEY)
  await keyForm.start()
  keyForm.askWhenRejected()
  check = () => Response.json({ code: 'FORBIDDEN', message: 'Read only.' }, { status: 403 })
  await window.fetch('v1/items')
  await settle()
  expect(look()).toEqual(form('demo-read-key, read only', 'Read only.'))
})

it('a new key in the address of an open page is stored, and the page loaded again', async () => {
  const { keyForm } = await open(PAGE_KEY)
  await keyForm.start()
  const reload = vi.spyOn(location, 'reload').mockReturnValue()
  history.replaceState(null, '', '/#other')
  window.dispatchEvent(new Event('hashchange'))
  expect(reload).not.toHaveBeenCalled()
  history.replaceState(null, '', '/?a=1#key=new')
  window.dispatchEvent(new Event('hashchange'))
  expect(reload).toHaveBeenCalledOnce()
  expect([location.search, location.hash]).toEqual(['?a=1', ''])
  expect(sessionStorage.getItem('pet-store:api-key')).toBe('new')
})

it('the form says that each page asks for the key, only where the browser keeps no data', async () => {
  await open()
  expect(element('no-site-data').hidden).toBe(true)
  const kept = Object.getOwnPropertyDescriptor(window, 'sessionStorage')
  onTestFinished(() => void Object.defineProperty(window, 'sessionStorage', kept ?? {}))
  const get = () => {
    throw new DOMException('Access is denied for this document.', 'SecurityError')
  }
  Object.defineProperty(window, 'sessionStorage', { get, configurable: true })
  const { keyForm, entered } = await open()
  expect(element('no-site-data').hidden).toBe(false)
  await keyForm.start()
  await enter('right')
  expect(entered).toHaveLength(1)
})

/** What a user can do, and what is shown afterwards. */
const ACTIONS: [when: Look['shows'], act: () => unknown, expected: (before: Look) => Look][] = [
  ['content', () => element('change-key').click(), ({ bar }) => form(bar)],
  ['form', () => enter('wrong'), ({ bar }) => form(bar, 'It is UNAUTHORIZED.')],
  ['form', () => enter('right'), () => content('may write')],
  ['form', pressEscape, (before) => (before.bar === null ? before : content(before.bar))],
]

it('whatever a user does, the content keeps the last key that was accepted', async () => {
  const actions = fc.array(fc.constantFrom(...ACTIONS), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(PAGE_KEY, null), actions, async (pageKey, actions) => {
      sessionStorage.clear()
      const { keyForm } = await open(pageKey)
      await keyForm.start()
      for (const [when, act, expected] of actions) {
        const before = look()
        if (before.shows !== when) continue
        await act()
        expect(look()).toEqual(expected(before))
      }
    }),
    { numRuns: 30 },
  )
})
