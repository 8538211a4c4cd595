/** The form that asks for an API key, and the button in the bar that leads to it: key-form.html and bar.html are their HTML. */
import { findKey, findRejection, takeKeyFromAddress } from './api-key.js'
import { byId } from './dom.js'
import { RequestError } from './graphql.js'
import { KeyEntry } from './key-entry.js'
import { keepsData, reloadPage } from './storage.js'
import { watchJson } from './watch-fetch.js'

/** @typedef {import('./api-key.js').Key} Key */

/** What the button in the bar says about a key. @type {Record<Key['scope'], string>} */
const SCOPE_NAMES = { read: 'read only', write: 'may write', unknown: 'not checked' }

/** The form, which takes the place of the page's content while it is shown. */
export class KeyForm {
  #content
  #onEntered
  #form = byId('key-form', HTMLFormElement)
  #field = byId('key', HTMLInputElement)
  #cancelButton = byId('cancel', HTMLButtonElement)
  #changeButton = byId('change-key', HTMLButtonElement)
  #entry = new KeyEntry()

  /**
   * Makes the form work, without showing it, and takes a key out of the address.
   * @param {HTMLElement} content what the page shows while it does not show the form
   * @param {(key: Key) => void} [onEntered] receives each key that the server accepts; by default, the page is loaded again
   */
  constructor(content, onEntered = reloadPage) {
    this.#content = content
    this.#onEntered = onEntered
    byId('no-site-data', HTMLElement).hidden = keepsData
    takeKeyFromAddress()
    // The page is open already, so the browser does not load it again.
    addEventListener('hashchange', () => takeKeyFromAddress() && reloadPage())
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#submit()
    })
    this.#changeButton.addEventListener('click', () => this.ask(''))
    this.#cancelButton.addEventListener('click', () => this.#cancel())
    byId('key-page', HTMLElement).addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#cancel()
    })
  }

  /**
   * Finds the key to begin with, and shows the content, or the form.
   * @param {string | null} pageKey the read-only key that the server has written into the page
   * @param {{ isNeeded?: boolean }} [options] isNeeded: without a key, the form is shown; by default, it is
   * @returns {Promise<Key | null>} null: there is none
   */
  async start(pageKey, { isNeeded = true } = {}) {
    const { key, problem } = await findKey(pageKey)
    if (key) {
      this.#showContent(SCOPE_NAMES[key.scope], key.token === pageKey)
      return key
    }
    if (!isNeeded) this.#showContent('none')
    if (isNeeded || problem !== '') this.ask(problem)
    return null
  }

  /**
   * Shows the form in place of the content.
   * @param {string} problem a sentence that says what is wrong with the key; empty: nothing
   */
  ask(problem) {
    this.#show(true)
    this.#showProblem(problem)
  }

  /** Asks for another key when the server does not accept this one, on a page whose library sends the requests. */
  askWhenRejected() {
    watchJson((body) => {
      const problem = findRejection(body)
      if (problem) this.ask(problem)
    })
  }

  /**
   * Shows the content, and the buttons that lead to the form and back.
   * @param {string} state of the key, for the button in the bar
   * @param {boolean} [isPageKey] whether it is the one that the server has written into the page
   */
  #showContent(state, isPageKey = false) {
    this.#show(false)
    byId('key-state', HTMLElement).textContent = state
    byId('key-name', HTMLElement).hidden = !isPageKey
    this.#changeButton.hidden = false
    this.#cancelButton.hidden = false
  }

  /** @param {string} problem */
  #showProblem(problem) {
    byId('key-problem', HTMLElement).textContent = problem
    this.#field.setAttribute('aria-invalid', String(problem !== ''))
    this.#field.focus()
  }

  async #submit() {
    const found = await this.#entry.enter(this.#field.value.trim())
    if (found === null) return
    if (found instanceof RequestError) {
      this.#showProblem(found.code === null ? `${found.message} Try again.` : found.message)
      return
    }
    this.#showContent(SCOPE_NAMES[found.scope])
    this.#leave()
    this.#onEntered(found)
  }

  /** Until a new key is saved, the content stays as it is, with the key that it has. */
  #cancel() {
    if (this.#cancelButton.hidden) return
    this.#entry.giveUp()
    this.#show(false)
    this.#leave()
  }

  #leave() {
    this.#form.reset()
    this.#changeButton.focus()
  }

  /** @param {boolean} isShown whether the form is, and not the content */
  #show(isShown) {
    this.#content.hidden = isShown
    byId('key-page', HTMLElement).hidden = !isShown
  }
}
