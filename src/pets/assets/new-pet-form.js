import { byId, textOf } from '../../pages/assets/shared/dom.js'
import { failureOf, request } from '../../pages/assets/shared/api-requests.js'
import { CreationAttempts } from './creation-attempts.js'
import { CREATE_PET } from './pet-operations.js'

/** @typedef {import('../../pages/assets/shared/api-requests.js').RequestError} RequestError */
/** @typedef {import('../../generated/page-operations.ts').PetStatus} PetStatus */
/** @typedef {import('./key-in-use.js').KeyInUse} KeyInUse */

/** The form that creates pets: each one once, however often the user has to try. */
export class NewPetForm {
  /** null: there is none yet, so the form is hidden. @type {KeyInUse | null} */
  #key = null
  #list
  #form = byId('new-pet', HTMLFormElement)
  #attempts = new CreationAttempts()

  /** @param {import('./pet-list.js').PetList} list shows what has been created */
  constructor(list) {
    this.#list = list
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#create()
    })
  }

  /** Begins, or goes on with another key; for one that cannot write, a sentence takes the place of the form. @param {KeyInUse} key */
  useKey(key) {
    this.#key = key
    this.#form.hidden = !key.canWrite
    byId('read-only', HTMLElement).hidden = key.canWrite
  }

  async #create() {
    const key = this.#key
    if (!key) return
    const input = this.#readInput()
    const attempt = this.#attempts.begin(JSON.stringify(input))
    const { idempotencyKey } = attempt
    const failure = await failureOf(request(key.token, CREATE_PET, { input, idempotencyKey }))
    switch (this.#attempts.end(attempt, key.token, failure)) {
      case 'created':
        this.#clear(attempt.pet)
        key.report('creation', undefined)
        break
      case 'uncertain':
        key.report('creation', failure, (last) => describeAttempt(input.name, last))
        break
      case 'failed':
        key.report('creation', failure)
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

  /** Empties the form for the next pet, unless the user has begun with that. @param {string} created the JSON of what has been created */
  #clear(created) {
    if (JSON.stringify(this.#readInput()) !== created) return
    this.#form.reset()
    this.#form.querySelector('input')?.focus()
  }
}

/**
 * What to say after an attempt that may have succeeded, or that does not tell whether an earlier one has.
 * @param {string} name
 * @param {RequestError} failure
 */
function describeAttempt(name, failure) {
  const text = `${name} may have been created. Create it again: there will be only one.`
  return failure.isUncertain ? text : `${text} ${failure.message}`
}
