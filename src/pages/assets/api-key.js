/** The API key of this tab: where it is kept, and what the server says about one. */
import './storage.js'
import { ApiError, failureOf, request } from './graphql.js'

/** @typedef {{ token: string, scope: 'read' | 'write' | 'unknown' }} Key */

/** Until the page has a key. @type {Key} */
export const NO_KEY = { token: '', scope: 'unknown' }

const STORED_KEY = 'pet-store:api-key'

/**
 * The key that was entered on any page of this server, or that an address had in it, kept for the session of the browser's tab.
 * @returns {string | null}
 */
export const storedKey = () => sessionStorage.getItem(STORED_KEY)

/** @param {string} token */
export function storeKey(token) {
  sessionStorage.setItem(STORED_KEY, token)
  // Otherwise, the docs page would go on with the key that was entered there earlier.
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith('scalar-reference-auth')) sessionStorage.removeItem(name)
}

/** Moves the key out of an address that the demo server has printed. @returns {boolean} whether there was one */
export function takeKeyFromAddress() {
  const [, token] = /^#key=(.+)/.exec(location.hash) ?? []
  if (token === undefined) return false
  storeKey(token)
  history.replaceState(null, '', location.pathname + location.search)
  return true
}

/** A mutation that changes nothing: FORBIDDEN to a read-only key. */
const NO_CHANGE = 'mutation { __typename }'

/**
 * Asks the server about a key.
 * @param {string} token
 * @returns {Promise<Key | string>} the key, or a sentence: what is wrong with it, or that the server cannot be reached
 */
export async function examine(token) {
  // A header can have no other characters.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'An API key contains only letters, digits and punctuation.'
  const failure = await failureOf(request(token, NO_CHANGE, {}))
  if (!failure) return { token, scope: 'write' }
  if (!(failure instanceof ApiError)) return `${failure.message} Try again.`
  const { code, message } = failure
  if (code === 'UNAUTHORIZED' || code === 'RATE_LIMITED') return message
  // Any other code, such as that of an unavailable database, does not say whether the key may write.
  return { token, scope: code === 'FORBIDDEN' ? 'read' : 'unknown' }
}

/** Whether another key would help. @param {string | undefined} code of an error */
export const isRejection = (code) => code === 'UNAUTHORIZED' || code === 'FORBIDDEN'

/**
 * @param {unknown} body of a response of either API
 * @returns {string | undefined} why it says that another key is needed; undefined: it does not
 */
export function findRejection(body) {
  /** @typedef {{ code?: string, message?: string }} RestError */
  /** @typedef {{ message: string, extensions?: { code?: string } }} GraphqlError */
  const { errors, ...error } = /** @type {(RestError & { errors?: GraphqlError[] }) | null} */ (body) ?? {}
  const { message = error.message, extensions: { code } = error } = errors?.[0] ?? {}
  return isRejection(code) ? message : undefined
}
