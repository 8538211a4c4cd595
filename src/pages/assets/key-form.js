/** The API key of this tab, and the form that asks for it; key-form.html is its HTML. */
import './storage.js'
import { byId } from './dom.js'
import { ApiError, request } from './graphql.js'

/** @typedef {{ token: string, scope: 'read' | 'write' | 'unknown' }} Key */

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

takeKeyFromAddress()
// The page is open already, so the browser does not load it again.
addEventListener('hashchange', () => takeKeyFromAddress() && location.reload())

const form = byId('key-form', HTMLFormElement)
const field = byId('key', HTMLInputElement)
const cancelButton = byId('cancel', HTMLButtonElement)
const changeButton = byId('change-key', HTMLButtonElement)

/** What the button in the bar says about a key. @type {Record<Key['scope'], string>} */
const SCOPE_NAMES = { read: 'read only', write: 'may write', unknown: 'not checked' }

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
 * Finds the key to begin with, and shows the content, or the form.
 * @param {string | null} pageKey the read-only key that the server has written into the page
 * @param {{ isNeeded?: boolean }} [options] isNeeded: without a key, the form is shown; by default, it is
 * @returns {Promise<Key | null>} null: there is none
 */
export async function startWithKey(pageKey, { isNeeded = true } = {}) {
  const stored = storedKey()
  const found = stored === null ? '' : await examine(stored)
  if (typeof found !== 'string') {
    showContent(SCOPE_NAMES[found.scope])
    return found
  }
  if (pageKey !== null) {
    showContent(SCOPE_NAMES.read)
    byId('key-name', HTMLElement).hidden = false
    return { token: pageKey, scope: 'read' }
  }
  if (!isNeeded) showContent('none')
  if (isNeeded || found !== '') askForKey(found)
  return null
}

/**
 * Shows the content, and the buttons that lead to the form and back.
 * @param {string} state of the key, for the button in the bar
 */
function showContent(state) {
  showForm(false)
  byId('key-state', HTMLElement).textContent = state
  byId('key-name', HTMLElement).hidden = true
  changeButton.hidden = false
  cancelButton.hidden = false
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
  showContent(SCOPE_NAMES[found.scope])
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

/** A change without an effect, since no pet has this id: FORBIDDEN to a read-only key, PET_NOT_FOUND to one that may write. */
const CHANGE = 'mutation { updatePet(id: "", input: {}) { id } }'

/**
 * Asks the server about a key.
 * @param {string} token
 * @returns {Promise<Key | string>} the key, or a sentence: what is wrong with it, or that the server cannot be reached
 */
async function examine(token) {
  const error = await request(token, CHANGE, {}).catch((/** @type {unknown} */ error) => error)
  if (!(error instanceof ApiError)) return 'The server cannot be reached. Try again.'
  const { code, message } = error
  if (code === 'UNAUTHORIZED' || code === 'RATE_LIMITED') return message
  // Any other code, such as that of an unavailable database, does not say whether the key may write.
  const scope = code === 'FORBIDDEN' ? 'read' : code === 'PET_NOT_FOUND' ? 'write' : 'unknown'
  return { token, scope }
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
