/** The form that asks for an API key, and the button in the bar that leads to it: key-form.html and bar.html are their HTML. */
import { findKey, takeKeyFromAddress } from './api-key.js'
import { byId } from '../shared/dom.js'
import { readError, RequestError } from '../shared/api-requests.js'
import { KeyEntry } from './key-entry.js'
import { contentOf, firstView, formOver, NOTHING_YET } from './key-view.js'
import { keepsData, reloadPage } from '../shared/storage.js'
import { watchJson } from '../shared/watch-fetch.js'

/** @typedef {import('./api-key.js').Key} Key */
/** @typedef {import('./key-view.js').Content} Content */
/** @typedef {import('./key-view.js').Form} Form */

/**
 * What the button in the bar says about a key.
 * @type {Record<Key['scope'], string>}
 */
const SCOPE_NAMES = { read: 'read only', write: 'may write', unknown: 'not checked' }

/** The form, which takes the place of the page's content while it is shown. */
export class KeyForm {
  #content
  #pageKey
  #onEntered
  #view = NOTHING_YET
  #formPage = byId('key-page', HTMLElement)
  #form = byId('key-form', HTMLFormElement)
  #field = byId('key', HTMLInputElement)
  #cancelButton = byId('cancel', HTMLButtonElement)
  #changeButton = byId('change-key', HTMLButtonElement)
  #entry = new KeyEntry()

  /**
   * Makes the form work, without showing it, and takes a key out of the address.
   * @param {HTMLElement | null} content what the page shows while it does not show the form; null: nothing
   * @param {string | null} pageKey the read-only key that the server has written into the page
   * @param {(key: Key) => void} [onEntered] receives each key that the server accepts; by default, the page is loaded again
   */
  constructor(content, pageKey, onEntered = reloadPage) {
    this.#content = content
    this.#pageKey = pageKey
    this.#onEntered = onEntered
    byId('no-site-data', HTMLElement).hidden = keepsData
    takeKeyFromAddress()
    // For a new fragment, a browser does not load a page again that is open.
    addEventListener('hashchange', () => takeKeyFromAddress() && reloadPage())
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#submit()
    })
    this.#changeButton.addEventListener('click', () => this.ask(''))
    this.#cancelButton.addEventListener('click', () => this.#cancel())
    this.#formPage.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#cancel()
    })
  }

  /**
   * Finds the key to begin with, and shows the content, or the form.
   * @param {{ isNeeded?: boolean }} [options] isNeeded: whether there is no content without a key; by default, there is none
   * @returns {Promise<Key | null>} null: there is no key
   */
  async start({ isNeeded = true } = {}) {
    const found = await findKey(this.#pageKey)
    this.#show(firstView(found, isNeeded))
    if (this.#view.shows === 'form') this.#field.focus()
    return found.key
  }

  /**
   * Whether a key is the one that the server has written into the page.
   * @param {Key | null | undefined} key
   */
  isPageKey(key) {
    return key?.token === this.#pageKey
  }

  /**
   * Shows the form in place of the content.
   * @param {string} problem a sentence that says what is wrong with the key; empty: nothing
   */
  ask(problem) {
    this.#show(formOver(this.#view, problem))
    this.#field.focus()
  }

  /** Asks for another key when the server rejects the one in use, on a page whose library sends the requests. */
  askWhenRejected() {
    watchJson((body) => {
      const error = readError(body)
      if (error?.isRejection) this.ask(error.message)
    })
  }

  async #submit() {
    // The problem of an earlier key says nothing of this one.
    this.#show(formOver(this.#view, ''))
    const found = await this.#entry.enter(this.#field.value.trim())
    if (found === null) return
    if (found instanceof RequestError) {
      this.ask(found.meaning === 'no answer' ? `${found.message} Try again.` : found.message)
      return
    }
    this.#leave({ shows: 'content', key: found })
    this.#onEntered(found)
  }

  /** Goes back to the content, which has kept its key and its state. */
  #cancel() {
    const content = contentOf(this.#view)
    if (content === null) return
    this.#entry.giveUp()
    this.#leave(content)
  }

  /** @param {Content} content */
  #leave(content) {
    this.#show(content)
    this.#form.reset()
    this.#changeButton.focus()
  }

  /**
   * The only place where something is shown or hidden.
   * @param {Content | Form} view
   */
  #show(view) {
    this.#view = view
    const problem = view.shows === 'form' ? view.problem : ''
    if (this.#content) this.#content.hidden = view.shows === 'form'
    this.#formPage.hidden = view.shows === 'content'
    byId('key-problem', HTMLElement).textContent = problem
    this.#field.setAttribute('aria-invalid', String(problem !== ''))
    const content = contentOf(view)
    this.#changeButton.hidden = this.#cancelButton.hidden = content === null
    byId('key-state', HTMLElement).textContent = content?.key ? SCOPE_NAMES[content.key.scope] : 'none'
    byId('key-name', HTMLElement).hidden = !this.isPageKey(content?.key)
  }
}
