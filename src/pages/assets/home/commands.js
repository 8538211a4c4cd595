import { allWith, byId, namedBy } from '../shared/dom.js'
import { escapeQuotes } from './shell-quotes.js'
import { Tabs } from './tabs.js'

/** Stands for the key in the commands, since others may see the screen. */
const MASK = '••••••••'

/** The commands on the home page, with the key and the address of this server in them; command-tab.html and command.html are their HTML. */
export class Commands {
  /** What MASK stands for. */
  #token = ''
  #tabs = new Tabs(byId('command-tabs', HTMLElement))

  /** Completes the commands, and makes their tabs and copy buttons work. */
  constructor() {
    const origin = new URL('.', location.href).href.replace(/\/$/, '')
    // Where the server has not put a configured one.
    for (const place of allWith('origin')) place.textContent ||= escapeQuotes(origin)
    for (const button of allWith('copies')) this.#connect(namedBy(button, 'data-copies'), button)
  }

  /**
   * Puts a key into the commands, and offers only those that it may run.
   * @param {import('../key/api-key.js').Key} key
   * @param {boolean} isEntered whether the user has entered it
   */
  useKey(key, isEntered) {
    this.#token = key.token
    for (const place of allWith('api-key')) place.textContent = MASK
    byId('key-hint', HTMLElement).textContent = isEntered
      ? 'Copied commands contain your API key, which this tab keeps until you close it.'
      : 'Copied commands contain a read-only key, because you are on the same machine.'
    const hidden = key.scope === 'read' ? allWith('changes') : []
    this.#tabs.offer((tab) => !hidden.includes(tab))
  }

  /**
   * Lets a button copy a command.
   * @param {HTMLElement} code
   * @param {HTMLElement} button
   */
  #connect(code, button) {
    const title = button.textContent
    button.addEventListener('click', () => {
      void this.#copy(code).then((isCopied) => {
        button.textContent = isCopied ? 'Copied' : 'Press Ctrl-C'
        setTimeout(() => (button.textContent = title), 2000)
      })
    })
    // The user may also select a part of the command and copy that.
    code.addEventListener('copy', (event) => {
      event.preventDefault()
      event.clipboardData?.setData('text/plain', this.#reveal(String(getSelection())))
    })
  }

  /**
   * Clipboard access needs HTTPS or localhost; a selection can be copied anywhere.
   * @param {HTMLElement} code
   * @returns {Promise<boolean>} whether it has been copied
   */
  async #copy(code) {
    try {
      await navigator.clipboard.writeText(this.#reveal(code.textContent))
      return true
    } catch {
      getSelection()?.selectAllChildren(code)
      // Deprecated, and the only way without HTTPS.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      return document.execCommand('copy')
    }
  }

  /**
   * @param {string} text of a command, or a part of one
   * @returns {string} the text, with the key
   */
  #reveal(text) {
    return text.replaceAll(MASK, () => this.#token)
  }
}
