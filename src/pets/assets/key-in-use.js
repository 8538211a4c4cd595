/** @typedef {import('../../pages/assets/shared/api-requests.js').RequestError} RequestError */
/** @typedef {import('./pet-problems.js').PetProblems} PetProblems */

/**
 * An API key, from when the page takes it until it takes another. An answer may come later than that: then nothing is reported of it, since
 * the user needs no answer to an earlier key.
 */
export class KeyInUse {
  #problems
  #replaced = new AbortController()

  /**
   * @param {import('../../pages/assets/key/api-key.js').Key} key
   * @param {PetProblems} problems shows what fails with this key, and from now on nothing of an earlier one
   */
  constructor({ token, scope }, problems) {
    this.token = token
    this.canWrite = scope !== 'read'
    this.#problems = problems
    problems.clear()
  }

  /** Aborted when the page takes another key. */
  get signal() {
    return this.#replaced.signal
  }

  /** To be called when the page takes another key. */
  end() {
    this.#replaced.abort()
  }

  /**
   * Shows how a request with this key has ended.
   * @param {import('./pet-problems.js').Kind} kind
   * @param {RequestError | undefined} failure undefined: it has succeeded
   * @param {(failure: RequestError) => string} [describe] what to say about the failure, if not what is said by default
   */
  report(kind, failure, describe) {
    if (!this.signal.aborted) this.#problems.report(kind, failure, describe)
  }
}
