import { examine, storeKey } from './api-key.js'
import { RequestError } from '../shared/api-requests.js'

/** @typedef {import('./api-key.js').Key} Key */

/** What becomes of the keys that the user enters: each is checked, and the last one counts. */
export class KeyEntry {
  /** Gives up the key that is being checked. */
  #checking = new AbortController()

  /**
   * Checks a key, in place of one that is being checked, and keeps it for the tab if the server accepts it.
   * @param {string} token
   * @returns {Promise<Key | RequestError | null>} the key, or why it cannot be used; null: it has been given up, so nothing is to be done
   */
  async enter(token) {
    this.giveUp()
    const { signal } = (this.#checking = new AbortController())
    const found = await examine(token, signal)
    if (signal.aborted) return null
    if (!(found instanceof RequestError)) storeKey(found.token)
    return found
  }

  /** Gives up the key that is being checked. */
  giveUp() {
    this.#checking.abort()
  }
}
