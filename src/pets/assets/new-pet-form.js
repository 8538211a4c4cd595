import { byId, textOf } from '../../pages/assets/dom.js'
import { ApiError, failureOf, request } from '../../pages/assets/graphql.js'
import { NO_KEY } from '../../pages/assets/api-key.js'

/** @typedef {import('../../pages/assets/graphql.js').RequestError} RequestError */

const CREATE = `mutation CreatePet($input: NewPet!, $idempotencyKey: String!) {
  createPet(input: $input, idempotencyKey: $idempotencyKey) { id name }
}`

/** Errors after which the database, or a server behind a proxy, may have done what it was asked for. */
const UNCERTAIN = ['DATABASE_UNAVAILABLE', 'TIMEOUT', 'UNAVAILABLE']

/** Whether the pet may have been created, although there is a failure. @param {RequestError} failure */
const isUncertain = (failure) => !(failure instanceof ApiError) || UNCERTAIN.includes(failure.code)

/** The form that creates pets: each one once, however often the user has to try. */
export class NewPetForm {
  #problems
  #list
  #form = byId('new-pet', HTMLFormElement)
  #key = NO_KEY
  /**
   * What has been sent, and not been created for certain, by its text. All attempts to create it have the same idempotency key, which joins
   * those of one owner only: `mayExist` has the API keys with which it may have been created.
   * @type {Map<string, { idempotencyKey: string, mayExist: Set<string> }>}
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
    const attempt = this.#attempts.get(text) ?? { idempotencyKey: createRandomKey(), mayExist: new Set() }
    this.#attempts.set(text, attempt)
    const { idempotencyKey } = attempt
    const failure = await failureOf(request(key.token, CREATE, { input, idempotencyKey }))
    if (!failure) {
      this.#attempts.delete(text)
      this.#clear(text)
    } else if (isUncertain(failure)) {
      attempt.mayExist.add(key.token)
    }
    if (key === this.#key) {
      this.#markInvalid(failure)
      const problem = failure && attempt.mayExist.has(key.token) ? describe(input.name, failure) : undefined
      this.#problems.report('creation', failure, problem)
    }
    await this.#list.readNow()
  }

  #readInput() {
    return {
      name: textOf(this.#form, 'name'),
      categoryId: textOf(this.#form, 'categoryId'),
      status: textOf(this.#form, 'status') || null,
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
    const problems = failure instanceof ApiError ? failure.problems : []
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
function describe(name, failure) {
  const text = `${name} may have been created. Create it again: there will be only one.`
  return isUncertain(failure) ? text : `${text} ${failure.message}`
}
