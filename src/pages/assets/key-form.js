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

/**
 * What the page shows: its content, or the form in its place.
 * @typedef {object} View
 * @property {{ key: Key | null } | null} current the key that the content has, or does without; null: there is no content to go back to
 * @property {string | null} problem the form is shown, with a sentence that says what is wrong with the key, or an empty one; null: it is not
 */

/** The form, which takes the place of the page's content while it is shown. */
export class KeyForm {
  #content
  #pageKey
  #onEntered
  /** @type {View} */
  #view = { current: null, problem: null }
  #form = byId('key-form', HTMLFormElement)
  #field = byId('key', HTMLInputElement)
  #cancelButton = byId('cancel', HTMLButtonElement)
  #changeButton = byId('change-key', HTMLButtonElement)
  #entry = new KeyEntry()

  /**
   * Makes the form work, without showing it, and takes a key out of the address.
   * @param {HTMLElement} content what the page shows while it does not show the form
   * @param {string | null} pageKey the read-only key that the server has written into the page
   * @param {(key: Key) => void} [onEntered] receives each key that the server accepts; by default, the page is loaded again
   */
  constructor(content, pageKey, onEntered = reloadPage) {
    this.#content = content
    this.#pageKey = pageKey
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
   * @param {{ isNeeded?: boolean }} [options] isNeeded: without a key, the form is shown; by default, it is
   * @returns {Promise<Key | null>} null: there is none
   */
  async start({ isNeeded = true } = {}) {
    const { key, problem } = await findKey(this.#pageKey)
    if (key || !isNeeded) this.#show({ current: { key }, problem: null })
    if (!key && (isNeeded || problem !== '')) this.ask(problem)
    return key
  }

  /** Whether a key is the one that the server has written into the page. @param {Key | null | undefined} key */
  isPageKey(key) {
    return key?.token === this.#pageKey
  }

  /**
   * Shows the form in place of the content.
   * @param {string} problem a sentence that says what is wrong with the key; empty: nothing
   */
  ask(problem) {
    this.#show({ problem })
    this.#field.focus()
  }

  /** Asks for another key when the server does not accept this one, on a page whose library sends the requests. */
  askWhenRejected() {
    watchJson((body) => {
      const problem = findRejection(body)
      if (problem) this.ask(problem)
    })
  }

  async #submit() {
    // It is of an earlier key.
    this.#show({ problem: '' })
    const found = await this.#entry.enter(this.#field.value.trim())
    if (found === null) return
    if (found instanceof RequestError) {
      this.ask(found.code === null ? `${found.message} Try again.` : found.message)
      return
    }
    this.#leave({ key: found })
    this.#onEntered(found)
  }

  /** Until a new key is saved, the content stays as it is, with the key that it has. */
  #cancel() {
    const { current } = this.#view
    if (current === null) return
    this.#entry.giveUp()
    this.#leave(current)
  }

  /** @param {NonNullable<View['current']>} current */
  #leave(current) {
    this.#show({ current, problem: null })
    this.#form.reset()
    this.#changeButton.focus()
  }

  /** Nothing else changes what is shown. @param {Partial<View>} changes */
  #show(changes) {
    const { current, problem } = (this.#view = { ...this.#view, ...changes })
    this.#content.hidden = problem !== null
    byId('key-page', HTMLElement).hidden = problem === null
    byId('key-problem', HTMLElement).textContent = problem
    this.#field.setAttribute('aria-invalid', String(Boolean(problem)))
    this.#changeButton.hidden = this.#cancelButton.hidden = current === null
    byId('key-state', HTMLElement).textContent = current?.key ? SCOPE_NAMES[current.key.scope] : 'none'
    byId('key-name', HTMLElement).hidden = !this.isPageKey(current?.key)
  }
}
