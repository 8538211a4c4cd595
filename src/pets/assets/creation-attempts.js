/** @typedef {import('../../pages/assets/shared/api-requests.js').RequestError} RequestError */

/**
 * All requests to create a pet have the same idempotency key until one has created it, so that the server creates it once for each owner of
 * API keys. `uncertainKeys` are the API keys that may have created it.
 * @typedef {{ pet: string, idempotencyKey: string, uncertainKeys: Set<string>, isCreated: boolean }} Attempt
 */

/** The pets that have been sent, by their JSON, until it is certain that they exist. */
export class CreationAttempts {
  /** @type {Map<string, Attempt>} */
  #attempts = new Map()

  /**
   * @param {string} pet
   * @returns {Attempt} to be sent; after a request that has not created the pet, or has not ended, the same one
   */
  begin(pet) {
    const attempt = this.#attempts.get(pet) ?? {
      pet,
      idempotencyKey: createRandomKey(),
      uncertainKeys: new Set(),
      isCreated: false,
    }
    this.#attempts.set(pet, attempt)
    return attempt
  }

  /**
   * Ends one request of an attempt; another may be in flight still.
   * @param {Attempt} attempt
   * @param {string} apiKey that it has been sent with
   * @param {Pick<RequestError, 'isUncertain'> | undefined} failure undefined: it has created the pet
   * @returns {'created' | 'uncertain' | 'failed'} what is known of the pet: this request or another has created it; one with this API key
   * may have; none has
   */
  end(attempt, apiKey, failure) {
    if (!failure && !attempt.isCreated) {
      attempt.isCreated = true
      this.#attempts.delete(attempt.pet)
    }
    if (failure?.isUncertain) attempt.uncertainKeys.add(apiKey)
    if (attempt.isCreated) return 'created'
    return attempt.uncertainKeys.has(apiKey) ? 'uncertain' : 'failed'
  }
}

/** Unlike crypto.randomUUID, this is also there without HTTPS. */
const createRandomKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
