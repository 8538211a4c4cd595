/** The API key of this tab: where it is kept, and what the server says about one. */
import { failureOf, request, RequestError } from '../shared/api-requests.js'
import { namesIn } from '../shared/storage.js'

/** @typedef {{ token: string, scope: 'read' | 'write' | 'unknown' }} Key */

const STORED_KEY = 'pet-store:api-key'

/**
 * Keeps a key for the session of the browser's tab, for all pages of this server.
 * @param {string} token
 */
export function storeKey(token) {
  sessionStorage.setItem(STORED_KEY, token)
  // Otherwise, the docs page would go on with a key that was entered in Scalar's own field earlier.
  for (const name of namesIn(sessionStorage))
    if (name.startsWith('scalar-reference-auth')) sessionStorage.removeItem(name)
}

/**
 * Whether a text may be a key of the server: a bearer token (RFC 6750, 2.1), as `isBearerToken` in config/api-keys-config.ts says.
 * Other characters are not kept, since they could be code in the commands: a shell interprets what is between double quotes, and anybody
 * can write an address with a key.
 * @param {string} text
 */
const isBearerToken = (text) => /^[\w.~+/-]+=*$/.test(text)

/**
 * Moves the key out of an address that the demo server has printed.
 * @returns {boolean} whether there was one
 */
export function takeKeyFromAddress() {
  const [, token] = /^#key=(.+)/.exec(location.hash) ?? []
  if (token === undefined) return false
  if (isBearerToken(token)) storeKey(token)
  history.replaceState(null, '', location.pathname + location.search)
  return true
}

/** A mutation that changes nothing, for which a read-only key is rejected. */
const NO_CHANGE = 'mutation { __typename }'

/**
 * The rejection of a key for what the page itself knows of it.
 * @param {string} problem a sentence
 */
const rejectKey = (problem) => new RequestError(problem, 'UNAUTHORIZED')

/**
 * Asks the server about a key.
 * @param {string} token
 * @param {AbortSignal} [signal] gives it up
 * @returns {Promise<Key | RequestError>} the key, or why it cannot be used, or not be examined now
 */
export async function examine(token, signal) {
  if (!isBearerToken(token)) return rejectKey('An API key contains only letters, digits and -._~+/=.')
  const failure = await failureOf(request(token, NO_CHANGE, {}, signal))
  // The key is the only header of this request that may be long.
  if (failure?.code === 'HEADERS_TOO_LARGE') return rejectKey('The API key is too long.')
  switch (failure?.meaning) {
    case undefined:
      return { token, scope: 'write' }
    case 'read-only key':
      return { token, scope: 'read' }
    case 'no answer':
    case 'limited':
    case 'wrong key':
      return failure
    default:
      // The server accepts the key, but does not say whether the key may write: the database is unavailable, for example.
      return { token, scope: 'unknown' }
  }
}

/**
 * Finds the key that a page begins with: the tab's, or, without one that the server accepts, the page's.
 * @param {string | null} pageKey the read-only key that the server has written into the page
 * @returns {Promise<{ key: Key | null, problem: string }>} problem: why there is none although the tab has one; otherwise empty
 */
export async function findKey(pageKey) {
  const token = sessionStorage.getItem(STORED_KEY)
  if (token !== null) {
    const found = await examine(token)
    if (!(found instanceof RequestError)) return { key: found, problem: '' }
    if (!found.isRejection) return { key: { token, scope: 'unknown' }, problem: '' }
    if (pageKey === null) return { key: null, problem: found.message }
  }
  return { key: pageKey === null ? null : { token: pageKey, scope: 'read' }, problem: '' }
}
