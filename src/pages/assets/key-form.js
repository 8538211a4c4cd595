/** The API key of this tab, and the form that asks for it; key-form.html is its HTML. */
import './storage.js'
import { byId } from './dom.js'
import { ApiError, failureOf, request } from './graphql.js'
import { watchJson } from './watch-fetch.js'

/** @typedef {{ token: string, scope: 'read' | 'write' | 'unknown' }} Key */

/** Until the page has a key. @type {Key} */
export const NO_KEY = { token: '', scope: 'unknown' }

const STORED_KEY = 'pet-store:api-key'

/**
 * The key that was entered on any page of this server, or that an address had in it, kept for the session of the browser's tab.
 * @returns {string | null}
 */
const storedKey = () => sessionStorage.getItem(STORED_KEY)

/** @param {string} key */
function storeKey(key) {
  sessionStorage.setItem(STORED_KEY, key)
  // Otherwise, the docs page would go on with the key that was entered there earlier.
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith('scalar-reference-auth')) sessionStorage.removeItem(name)
}

/** Moves the key out of an address that the demo server has printed. @returns {boolean} whether there was one */
function takeKeyFromAddress() {
  const [, key] = /^#key=(.+)/.exec(location.hash) ?? []
  if (key === undefined) return false
  storeKey(key)
  history.replaceState(null, '', location.pathname + location.search)
  return true
}

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

  /**
   * Makes the form work, without showing it, and takes a key out of the address.
   * @param {HTMLElement} content what the page shows while it does not show the form
   * @param {(key: Key) => void} [onEntered] receives each key that the server accepts; by default, the page is loaded again
   */
  constructor(content, onEntered = () => location.reload()) {
    this.#content = content
    this.#onEntered = onEntered
    takeKeyFromAddress()
    // The page is open already, so the browser does not load it again.
    addEventListener('hashchange', () => takeKeyFromAddress() && location.reload())
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
    const stored = storedKey()
    const found = stored === null ? '' : await examine(stored)
    if (typeof found !== 'string') {
      this.#showContent(SCOPE_NAMES[found.scope])
      return found
    }
    if (pageKey !== null) {
      this.#showContent(SCOPE_NAMES.read)
      byId('key-name', HTMLElement).hidden = false
      return { token: pageKey, scope: 'read' }
    }
    if (!isNeeded) this.#showContent('none')
    if (isNeeded || found !== '') this.ask(found)
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
   */
  #showContent(state) {
    this.#show(false)
    byId('key-state', HTMLElement).textContent = state
    byId('key-name', HTMLElement).hidden = true
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
    const token = this.#field.value.trim()
    // A header can have no other characters.
    const isSendable = /^[\x21-\x7e]+$/.test(token)
    const found = isSendable
      ? await examine(token)
      : 'An API key contains only letters, digits and punctuation.'
    if (typeof found === 'string') {
      this.#showProblem(found)
      return
    }
    storeKey(token)
    this.#showContent(SCOPE_NAMES[found.scope])
    this.#leave()
    this.#onEntered(found)
  }

  /** Until a new key is saved, the content stays as it is, with the key that it has. */
  #cancel() {
    if (this.#cancelButton.hidden) return
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

/** A mutation that changes nothing: FORBIDDEN to a read-only key. */
const NO_CHANGE = 'mutation { __typename }'

/**
 * Asks the server about a key.
 * @param {string} token
 * @returns {Promise<Key | string>} the key, or a sentence: what is wrong with it, or that the server cannot be reached
 */
async function examine(token) {
  const failure = await failureOf(request(token, NO_CHANGE, {}))
  if (!failure) return { token, scope: 'write' }
  if (!(failure instanceof ApiError)) return `${failure.message} Try again.`
  const { code, message } = failure
  if (code === 'UNAUTHORIZED' || code === 'RATE_LIMITED') return message
  // Any other code, such as that of an unavailable database, does not say whether the key may write.
  return { token, scope: code === 'FORBIDDEN' ? 'read' : 'unknown' }
}

/**
 * @param {unknown} body of a response of either API
 * @returns {string | undefined} why it says that another key is needed; undefined: it does not
 */
function findRejection(body) {
  /** @typedef {{ code?: string, message?: string }} RestError */
  /** @typedef {{ message: string, extensions?: { code?: string } }} GraphqlError */
  const { errors, ...error } = /** @type {(RestError & { errors?: GraphqlError[] }) | null} */ (body) ?? {}
  const { message = error.message, extensions: { code } = error } = errors?.[0] ?? {}
  return isRejection(code) ? message : undefined
}

/** Whether another key would help. @param {string | undefined} code of an error */
export const isRejection = (code) => code === 'UNAUTHORIZED' || code === 'FORBIDDEN'
