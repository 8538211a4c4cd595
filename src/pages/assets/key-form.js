/** The form that asks for an API key; src/pages/page.ts is its HTML. */
import { byId } from './dom.js'
import { send } from './graphql.js'

const STORED_KEY = 'pet-store:api-key'

/**
 * The key that was entered on any page of this server, kept for the session of the browser's tab.
 * @returns {string | null}
 */
export const storedKey = () => sessionStorage.getItem(STORED_KEY)

const form = () => byId('key-form', HTMLFormElement)
const field = () => byId('key', HTMLInputElement)
const cancelButton = () => byId('cancel', HTMLButtonElement)
const changeButton = () => byId('change-key', HTMLButtonElement)

/** What the page shows when there is a key. @type {HTMLElement} */
let content

/**
 * Finds the key to use, or asks for it. When the user enters another one, the page is loaded again.
 * @param {HTMLElement} section is shown when there is a key
 * @param {string | null} filledIn the key that the server has written into the page
 * @returns {Promise<string | null>} null: the form is shown
 */
export async function findKey(section, filledIn) {
  content = section
  form().addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  changeButton().addEventListener('click', () => askForKey(''))
  cancelButton().addEventListener('click', cancel)
  byId('key-page', HTMLElement).addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') cancel()
  })
  const stored = storedKey()
  const problem = stored && (await problemOf(stored))
  const key = problem ? null : (stored ?? filledIn)
  if (key === null) {
    askForKey(problem ?? '')
    return null
  }
  showForm(false)
  changeButton().hidden = false
  cancelButton().hidden = false
  return key
}

/**
 * Shows the form in place of the content.
 * @param {string} problem a sentence that says what is wrong with the key; empty: nothing
 */
export function askForKey(problem) {
  showForm(true)
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
    askForKey(problem)
  } else {
    sessionStorage.setItem(STORED_KEY, key)
    forgetScalarKeys()
    location.reload()
  }
}

/** Otherwise, the docs page would go on with the key that was entered there earlier. */
function forgetScalarKeys() {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith('scalar-reference-auth')) sessionStorage.removeItem(name)
}

/** Until a new key is saved, the content stays as it is, with the key that it has. */
function cancel() {
  if (cancelButton().hidden) return
  form().reset()
  showForm(false)
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
