/** @typedef {import('../../pages/assets/graphql.js').RequestError} RequestError */

/**
 * The pets that have been sent, by their JSON, until it is certain that they exist. All attempts to create a pet have the same idempotency
 * key, so that the server creates it once for each owner of API keys.
 */
export class CreationAttempts {
  /** `uncertainKeys` are the API keys that may have created it. @type {Map<string, { idempotencyKey: string, uncertainKeys: Set<string> }>} */
  #attempts = new Map()

  /** @param {string} pet @returns {string} the idempotency key to send it with */
  begin(pet) {
    return this.#get(pet).idempotencyKey
  }

  /**
   * @param {string} pet
   * @param {string} apiKey that it has been sent with
   * @param {Pick<RequestError, 'isUncertain'> | undefined} failure undefined: it has been created
   * @returns {boolean} whether it has failed, and this or an earlier attempt with the same API key may have created the pet
   */
  end(pet, apiKey, failure) {
    if (!failure) {
      this.#attempts.delete(pet)
      return false
    }
    const { uncertainKeys } = this.#get(pet)
    if (failure.isUncertain) uncertainKeys.add(apiKey)
    return uncertainKeys.has(apiKey)
  }

  /** @param {string} pet */
  #get(pet) {
    const attempt = this.#attempts.get(pet) ?? { idempotencyKey: createRandomKey(), uncertainKeys: new Set() }
    this.#attempts.set(pet, attempt)
    return attempt
  }
}

/** Unlike crypto.randomUUID, this is also there without HTTPS. */
const createRandomKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
