/** The commands on the home page: their tabs, and how they are copied. */
import fc from 'fast-check'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Key } from '../../../../src/pages/assets/key/api-key.js'
import { loadScript, showHomePage } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/home/commands.js')

const TOKEN = '$&-key'
const WRITE_KEY: Key = { token: TOKEN, scope: 'write' }
const READ_KEY: Key = { token: TOKEN, scope: 'read' }

/** What has been copied; null: the browser has no clipboard. */
let clipboard: { writeText: (text: string) => Promise<void> } | undefined
let copied: string[]
let commands: InstanceType<Script['Commands']>

beforeEach(async () => {
  copied = []
  clipboard = { writeText: async (text) => void copied.push(text) }
  const kept = Object.getOwnPropertyDescriptor(navigator, 'clipboard')
  Object.defineProperty(navigator, 'clipboard', { get: () => clipboard, configurable: true })
  onTestFinished(() => {
    if (kept) Object.defineProperty(navigator, 'clipboard', kept)
    else Reflect.deleteProperty(navigator, 'clipboard')
  })
  history.replaceState(null, '', '/shop/?a=1')
  showHomePage({
    items: 'items',
    restPath: '/items',
    list: null,
    commands: [
      { name: 'Create', title: 'Create an item', target: 'rest', path: '/items', changes: true },
      { name: 'List', title: 'List the items', target: 'rest', path: '/items?limit=3' },
      { name: 'Change', title: 'Change an item', target: 'graphql', changes: true },
      { name: 'Schema', title: 'Get the schema', target: 'schema' },
    ],
  })
  const { Commands } = (await loadScript('pages/assets/home/commands.js')) as Script
  commands = new Commands()
})

const tabs = () => Array.from(document.querySelectorAll<HTMLButtonElement>('[role=tab]'))
const offered = () => tabs().filter(({ hidden }) => !hidden)
const namesOf = (elements: Element[]) => elements.map(({ textContent }) => textContent)
const selected = () => namesOf(tabs().filter(({ ariaSelected }) => ariaSelected === 'true'))
const panel = () => {
  const [shown, ...others] = Array.from(document.querySelectorAll<HTMLElement>('.home-command')).filter(
    ({ hidden }) => !hidden,
  )
  if (!shown || others.length > 0) throw new Error('One command must be shown')
  return shown
}
const press = (key: string, options: KeyboardEventInit = {}) =>
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...options }))

it('a click on a tab shows its command only', () => {
  expect(selected()).toEqual(['Create'])
  tabs()[3]?.click()
  expect(selected()).toEqual(['Schema'])
  expect(panel().querySelector('p')?.textContent).toBe('Get the schema')
})

it.each(['altKey', 'ctrlKey', 'metaKey'])('the arrows are not taken from the browser with %s', (modifier) => {
  tabs()[0]?.focus()
  press('ArrowRight', { [modifier]: true })
  expect(selected()).toEqual(['Create'])
})

it.each([WRITE_KEY, READ_KEY])('the keyboard goes round the tabs that are offered: $scope', (key) => {
  commands.useKey(key, true)
  const names = namesOf(offered())
  const keys = fc.array(fc.constantFrom('ArrowRight', 'ArrowLeft', 'Home', 'End', 'a'))
  offered()[0]?.click()
  offered()[0]?.focus()
  let index = 0
  fc.assert(
    fc.property(keys, (pressed) => {
      for (const name of pressed) {
        press(name)
        const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: names.length - 1, a: index }
        index = (next[name] + names.length) % names.length
        expect(selected()).toEqual([names[index]])
        expect(document.activeElement?.textContent).toBe(names[index])
        // Tab enters the tabs at the selected one.
        expect(namesOf(tabs().filter(({ tabIndex }) => tabIndex === 0))).toEqual(selected())
      }
    }),
  )
})

it('a read-only key is offered no command that changes something; the one that was shown gives way', () => {
  expect(namesOf(offered())).toEqual(['Create', 'List', 'Change', 'Schema'])
  commands.useKey(READ_KEY, true)
  expect(namesOf(offered())).toEqual(['List', 'Schema'])
  expect([selected(), panel().querySelector('p')?.textContent]).toEqual([['List'], 'List the items'])
  commands.useKey(WRITE_KEY, true)
  expect(namesOf(offered())).toEqual(['Create', 'List', 'Change', 'Schema'])
  expect(selected()).toEqual(['List'])
})

const toCommand = (secret: string) =>
  `curl 'http://localhost:3000/shop/v1/items' \\\n  -H "Authorization: Bearer ${secret}"`

it('a command is copied with the address of the page and the key, which is not shown', async () => {
  const code = panel().querySelector('code')
  const button = panel().querySelector('button')
  expect(code?.textContent).toBe(toCommand('$API_KEY'))
  commands.useKey(WRITE_KEY, true)
  expect(code?.textContent).toBe(toCommand('••••••••'))
  button?.click()
  await vi.waitFor(() => expect(button?.textContent).toBe('Copied'))
  expect(copied).toEqual([toCommand(TOKEN)])
  expect(document.body.textContent).not.toContain(TOKEN)
})

it('a quote in the address of the page does not end the address in the command', async () => {
  history.replaceState(null, '', `/it's/`)
  for (const place of document.querySelectorAll('[data-origin]')) place.textContent = ''
  const { Commands } = (await loadScript('pages/assets/home/commands.js')) as Script
  commands = new Commands()
  expect(panel().querySelector('code')?.textContent).toContain(
    String.raw`curl 'http://localhost:3000/it'\''s/v1/items'`,
  )
})

it.each([
  [true, 'Copied'],
  [false, 'Press Ctrl-C'],
])('without a clipboard, the command is selected, and copied if the browser can: %s', async (can, text) => {
  clipboard = undefined
  const command = vi.fn(() => can)
  Object.assign(document, { execCommand: command })
  const button = panel().querySelector('button')
  button?.click()
  await vi.waitFor(() => expect(button?.textContent).toBe(text))
  expect(command).toHaveBeenCalledWith('copy')
  expect(String(getSelection())).toBe(toCommand('$API_KEY'))
})

it('what the user selects in a command is copied with the key', () => {
  commands.useKey(WRITE_KEY, true)
  const code = panel().querySelector('code')
  const place = panel().querySelector('[data-api-key]')
  if (place) getSelection()?.selectAllChildren(place)
  const data: string[] = []
  const event = new Event('copy', { cancelable: true })
  Object.assign(event, { clipboardData: { setData: (_: string, value: string) => data.push(value) } })
  code?.dispatchEvent(event)
  expect([data, event.defaultPrevented]).toEqual([[TOKEN], true])
})

it.each([
  [true, 'your API key'],
  [false, 'a read-only key'],
])('a hint says which key copied commands contain; entered: %s', (isEntered, text) => {
  commands.useKey(READ_KEY, isEntered)
  expect(document.getElementById('key-hint')?.textContent).toContain(text)
})
