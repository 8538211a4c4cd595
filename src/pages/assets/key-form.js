/** The API key of this tab, and the form that asks for it; key-form.html is its HTML. */
import './storage.js'
import { byId } from './dom.js'
import { send } from './graphql.js'

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

const form = () => byId('key-form', HTMLFormElement)
const field = () => byId('key', HTMLInputElement)
const cancelButton = () => byId('cancel', HTMLButtonElement)
const changeButton = () => byId('change-key', HTMLButtonElement)

/** What the page shows while it does not show the form. @type {HTMLElement} */
let content
/** @type {(key: string) => void} */
let useKey
/** What is done again with the next key. @type {() => void} */
let retry

/**
 * Makes the form work.
 * @param {HTMLElement} section what the page shows while it does not show the form
 * @param {(key: string) => void} [onEntered] receives each key that the server accepts; by default, the page is loaded again
 */
export function prepareKeyForm(section, onEntered = () => location.reload()) {
  content = section
  useKey = onEntered
  form().addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  changeButton().addEventListener('click', () => askForKey(''))
  cancelButton().addEventListener('click', cancel)
  byId('key-page', HTMLElement).addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') cancel()
  })
}

/**
 * Finds the key to begin with, or shows the form.
 * @param {string | null} pageKey the key that the server has written into the page
 * @returns {Promise<string | null>} null: the form is shown
 */
export async function findKey(pageKey) {
  const stored = storedKey()
  const problem = stored && (await problemOf(stored))
  const key = problem ? pageKey : (stored ?? pageKey)
  if (key === null) askForKey(problem ?? '')
  else showContent()
  return key
}

/** Shows the content, and the buttons that lead to the form and back. */
export function showContent() {
  showForm(false)
  changeButton().hidden = false
  cancelButton().hidden = false
}

/**
 * Shows the form in place of the content.
 * @param {string} problem a sentence that says what is wrong with the key; empty: nothing
 * @param {() => void} [andThen] is called when another key has been entered, unless the user cancels
 */
export function askForKey(problem, andThen = () => undefined) {
  retry = andThen
  showForm(true)
  showProblem(problem)
}

/** @param {string} problem */
function showProblem(problem) {
  byId('key-problem', HTMLElement).textContent = problem
  field().setAttribute('aria-invalid', String(problem !== ''))
  field().focus()
}

async function submit() {
  const key = field().value.trim()
  // A header can have no other characters.
  const isSendable = /^[\x21-\x7e]+$/.test(key)
  const problem = isSendable
    ? await problemOf(key)
    : 'An API key contains only letters, digits and punctuation.'
  if (problem !== null) {
    showProblem(problem)
    return
  }
  storeKey(key)
  showContent()
  leaveForm()
  useKey(key)
  retry()
}

/** Until a new key is saved, the content stays as it is, with the key that it has. */
function cancel() {
  if (cancelButton().hidden) return
  showForm(false)
  leaveForm()
}

function leaveForm() {
  form().reset()
  changeButton().focus()
}

/** @param {boolean} isShown */
function showForm(isShown) {
  content.hidden = isShown
  byId('key-page', HTMLElement).hidden = !isShown
}

/**
 * What is wrong with a key, as the server says, or that it says nothing; null if it accepts it.
 * @param {string} key
 * @returns {Promise<string | null>}
 */
async function problemOf(key) {
  const response = await send(key, { query: '{ __typename }' }).catch(() => null)
  if (response === null) return 'The server cannot be reached. Try again.'
  if (response.status !== 401 && response.status !== 429) return null
  const { errors } = /** @type {{ errors: [{ message: string }] }} */ (await response.json())
  return errors[0].message
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
