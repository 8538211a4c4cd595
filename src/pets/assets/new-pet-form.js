import { byId, textOf } from '../../pages/assets/dom.js'
import { failureOf, request } from '../../pages/assets/graphql.js'
import { NO_KEY } from '../../pages/assets/api-key.js'
import { CREATE_PET } from './pet-operations.js'

/** @typedef {import('../../pages/assets/graphql.js').RequestError} RequestError */
/** @typedef {import('../../generated/page-operations.ts').PetStatus} PetStatus */

/** The form that creates pets: each one once, however often the user has to try. */
export class NewPetForm {
  #problems
  #list
  #form = byId('new-pet', HTMLFormElement)
  #key = NO_KEY
  /**
   * The pets that have been sent, until it is certain that they exist, by their JSON. All attempts to create a pet have the same idempotency
   * key, so that the server creates it once for each owner of API keys. `uncertainKeys` are the API keys that may have created it.
   * @type {Map<string, { idempotencyKey: string, uncertainKeys: Set<string> }>}
   */
  #attempts = new Map()

  /**
   * @param {import('./pet-problems.js').PetProblems} problems
   * @param {import('./pet-list.js').PetList} list shows what has been created
   */
  constructor(problems, list) {
    this.#problems = problems
    this.#list = list
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#create()
    })
  }

  /** @param {import('../../pages/assets/api-key.js').Key} key */
  useKey(key) {
    this.#key = key
    this.#form.hidden = key.scope === 'read'
    this.#markInvalid(undefined)
  }

  async #create() {
    const key = this.#key
    const input = this.#readInput()
    const text = JSON.stringify(input)
    const attempt = this.#attempts.get(text) ?? {
      idempotencyKey: createRandomKey(),
      uncertainKeys: new Set(),
    }
    this.#attempts.set(text, attempt)
    const { idempotencyKey } = attempt
    const failure = await failureOf(request(key.token, CREATE_PET, { input, idempotencyKey }))
    if (!failure) {
      this.#attempts.delete(text)
      this.#clear(text)
    } else if (failure.isUncertain) {
      attempt.uncertainKeys.add(key.token)
    }
    if (key === this.#key) {
      this.#markInvalid(failure)
      const problem =
        failure && attempt.uncertainKeys.has(key.token) ? describeAttempt(input.name, failure) : undefined
      this.#problems.report('creation', failure, problem)
    }
    await this.#list.readNow()
  }

  #readInput() {
    return {
      name: textOf(this.#form, 'name'),
      categoryId: textOf(this.#form, 'categoryId'),
      // The options are those of the server.
      status: /** @type {PetStatus | null} */ (textOf(this.#form, 'status') || null),
    }
  }

  /** Empties the form for the next pet, unless the user has begun with that. @param {string} created the text of what has been created */
  #clear(created) {
    if (JSON.stringify(this.#readInput()) !== created) return
    this.#form.reset()
    this.#form.querySelector('input')?.focus()
  }

  /** @param {RequestError | undefined} failure */
  #markInvalid(failure) {
    const problems = failure?.problems ?? []
    for (const control of this.#form.querySelectorAll('input')) {
      const isInvalid = problems.some(({ argument }) => argument === `input.${control.name}`)
      control.setAttribute('aria-invalid', String(isInvalid))
    }
  }
}

/** Unlike crypto.randomUUID, this is also there without HTTPS. */
const createRandomKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')

/**
 * What to say after an attempt that may have succeeded, or that does not tell whether an earlier one has.
 * @param {string} name
 * @param {RequestError} failure
 */
function describeAttempt(name, failure) {
  const text = `${name} may have been created. Create it again: there will be only one.`
  return failure.isUncertain ? text : `${text} ${failure.message}`
}
