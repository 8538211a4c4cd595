/** The commands on the home page: their tabs, their copy buttons, and the key and the address in them. Their HTML is command-tab.html and command.html. */
import { byId } from './dom.js'

const origin = new URL('.', location.href).href.replace(/\/$/, '')

/** Stands for the key in the commands, since others may see the screen. */
const MASK = '••••••••'
let token = ''

/** @param {string} text of a command, or a part of one */
const reveal = (text) => text.replaceAll(MASK, token)

const tabList = byId('command-tabs', HTMLElement)
const tabs = Array.from(tabList.querySelectorAll('button'))

/** @param {HTMLButtonElement} selected */
function selectTab(selected) {
  for (const tab of tabs) {
    tab.ariaSelected = String(tab === selected)
    tab.tabIndex = tab === selected ? 0 : -1
    byId(tab.getAttribute('aria-controls') ?? '', HTMLElement).hidden = tab !== selected
  }
}

function selectFirstTab() {
  const first = tabs.find(({ hidden }) => !hidden)
  if (first) selectTab(first)
}

/** Shows the first command, and lets the mouse and the keyboard choose others. */
function startTabs() {
  selectFirstTab()
  for (const tab of tabs) tab.addEventListener('click', () => selectTab(tab))
  tabList.addEventListener('keydown', (event) => {
    // With another key, they are the browser's: Alt-Left goes back.
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const shown = tabs.filter(({ hidden }) => !hidden)
    const index = shown.findIndex((tab) => tab === event.target)
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const tab = shown.at(next % shown.length)
    if (!tab) return
    selectTab(tab)
    tab.focus()
  })
}

/**
 * Clipboard access needs HTTPS or localhost; a selection can be copied anywhere.
 * @param {HTMLElement} code
 * @returns {Promise<boolean>} whether it has been copied
 */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(reveal(code.textContent))
    return true
  } catch {
    getSelection()?.selectAllChildren(code)
    // Deprecated, and the only way without HTTPS.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    return document.execCommand('copy')
  }
}

/** Completes the commands, and makes their tabs and copy buttons work. */
export function startCommands() {
  startTabs()
  for (const place of document.querySelectorAll('.origin')) place.textContent ||= origin
  for (const command of document.querySelectorAll('.home-command')) {
    const [code, button] = [command.querySelector('code'), command.querySelector('button')]
    if (!code || !button) continue
    const title = button.textContent
    button.addEventListener('click', () => {
      void copy(code).then((isCopied) => {
        button.textContent = isCopied ? 'Copied' : 'Press Ctrl-C'
        setTimeout(() => (button.textContent = title), 2000)
      })
    })
    // Also what the user has selected.
    code.addEventListener('copy', (event) => {
      event.preventDefault()
      event.clipboardData?.setData('text/plain', reveal(String(getSelection())))
    })
  }
}

/**
 * Puts a key into the commands, and offers only those that it may run.
 * @param {import('./api-key.js').Key} key
 * @param {boolean} isEntered whether the user has entered it
 */
export function showKey(key, isEntered) {
  token = key.token
  for (const place of document.querySelectorAll('.api-key')) place.textContent = MASK
  byId('key-hint', HTMLElement).textContent = isEntered
    ? 'Copied commands contain your API key, which this tab keeps until you close it.'
    : 'Copied commands contain a read-only key, because you are on the same machine.'
  for (const tab of tabs) tab.hidden = key.scope === 'read' && tab.hasAttribute('data-changes')
  if (tabs.some((tab) => tab.hidden && tab.ariaSelected === 'true')) selectFirstTab()
}
