/** The API key of this tab, and the form that asks for it; key-form.html is its HTML. */
import './storage.js'
import { byId } from './dom.js'
import { ApiError, request } from './graphql.js'

/** @typedef {{ token: string, isReadOnly: boolean }} Key */

const STORED_KEY = 'pet-store:api-key'

/**
 * The key that was entered on any page of this server, or that an address had in it, kept for the session of the browser's tab.
 * @returns {string | null}
 */
export const storedKey = () => sessionStorage.getItem(STORED_KEY)

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

takeKeyFromAddress()
// The page is open already, so the browser does not load it again.
addEventListener('hashchange', () => takeKeyFromAddress() && location.reload())

const form = byId('key-form', HTMLFormElement)
const field = byId('key', HTMLInputElement)
const cancelButton = byId('cancel', HTMLButtonElement)
const changeButton = byId('change-key', HTMLButtonElement)

/** What the page shows while it does not show the form. @type {HTMLElement} */
let content
/** @type {(key: Key) => void} */
let useKey

/**
 * Makes the form work.
 * @param {HTMLElement} section what the page shows while it does not show the form
 * @param {(key: Key) => void} [onEntered] receives each key that the server accepts; by default, the page is loaded again
 */
export function prepareKeyForm(section, onEntered = () => location.reload()) {
  content = section
  useKey = onEntered
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  changeButton.addEventListener('click', () => askForKey(''))
  cancelButton.addEventListener('click', cancel)
  byId('key-page', HTMLElement).addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') cancel()
  })
}

/**
 * Finds the key to begin with, or shows the form.
 * @param {string | null} pageKey the key that the server has written into the page, which only reads
 * @returns {Promise<Key | null>} null: the form is shown
 */
export async function findKey(pageKey) {
  const stored = storedKey()
  const found = stored === null ? '' : await examine(stored)
  if (typeof found !== 'string') {
    showContent(found)
    return found
  }
  if (pageKey === null) {
    askForKey(found)
    return null
  }
  const key = { token: pageKey, isReadOnly: true }
  showContent(key)
  byId('key-scope', HTMLElement).prepend('demo-read-key, ')
  return key
}

/**
 * Shows the content, and the buttons that lead to the form and back.
 * @param {Key} [key] the bar says what it may do
 */
export function showContent(key) {
  showForm(false)
  changeButton.hidden = false
  cancelButton.hidden = false
  byId('key-scope', HTMLElement).textContent = key?.isReadOnly ? 'read only' : ''
}

/**
 * Shows the form in place of the content.
 * @param {string} problem a sentence that says what is wrong with the key; empty: nothing
 */
export function askForKey(problem) {
  showForm(true)
  showProblem(problem)
}

/** @param {string} problem */
function showProblem(problem) {
  byId('key-problem', HTMLElement).textContent = problem
  field.setAttribute('aria-invalid', String(problem !== ''))
  field.focus()
}

async function submit() {
  const token = field.value.trim()
  // A header can have no other characters.
  const isSendable = /^[\x21-\x7e]+$/.test(token)
  const found = isSendable
    ? await examine(token)
    : 'An API key contains only letters, digits and punctuation.'
  if (typeof found === 'string') {
    showProblem(found)
    return
  }
  storeKey(token)
  showContent(found)
  leaveForm()
  useKey(found)
}

/** Until a new key is saved, the content stays as it is, with the key that it has. */
function cancel() {
  if (cancelButton.hidden) return
  showForm(false)
  leaveForm()
}

function leaveForm() {
  form.reset()
  changeButton.focus()
}

/** @param {boolean} isShown */
function showForm(isShown) {
  content.hidden = isShown
  byId('key-page', HTMLElement).hidden = !isShown
}

/** A change without an effect, since no pet has this id: a key that only reads is told so all the same. */
const CHANGE = 'mutation { updatePet(id: "", input: {}) { id } }'

/**
 * Asks the server about a key.
 * @param {string} token
 * @returns {Promise<Key | string>} the key, or what is wrong with it, as the server says, or that it says nothing
 */
async function examine(token) {
  const error = await request(token, CHANGE, {}).catch((/** @type {unknown} */ error) => error)
  if (!(error instanceof ApiError)) return 'The server cannot be reached. Try again.'
  if (error.code === 'UNAUTHORIZED' || error.code === 'RATE_LIMITED') return error.message
  return { token, isReadOnly: error.code === 'FORBIDDEN' }
}

/** Asks for another key when the server does not accept this one, on a page whose library sends the requests. */
export function askWhenRejected() {
  const browserFetch = window.fetch.bind(window)
  window.fetch = async (...request) => {
    const response = await browserFetch(...request)
    if (response.headers.get('content-type')?.includes('json')) void askIfRejected(response.clone())
    return response
  }
}

/** @param {Response} response of either API */
async function askIfRejected(response) {
  /** @typedef {{ code?: string, message?: string }} RestError */
  /** @typedef {{ message: string, extensions?: { code?: string } }} GraphqlError */
  const { errors, ...error } = /** @type {RestError & { errors?: GraphqlError[] }} */ (await response.json())
  const { message = error.message, extensions: { code } = error } = errors?.[0] ?? {}
  if (message && isRejection(code)) askForKey(message)
}

/** Whether another key would help. @param {string | undefined} code of an error */
export const isRejection = (code) => code === 'UNAUTHORIZED' || code === 'FORBIDDEN'
