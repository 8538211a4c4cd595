import { byId, setText } from '../../pages/assets/dom.js'
import { isRejection } from '../../pages/assets/api-key.js'

/** @typedef {import('../../pages/assets/graphql.js').RequestError} RequestError */

/** Says why the last read of the list, the last sale, and the last creation have failed. Each stays until one of its kind has not. */
export class PetProblems {
  #keyForm
  #place = byId('pet-problem', HTMLElement)
  #texts = { sale: '', read: '', creation: '' }

  /** @param {import('../../pages/assets/key-form.js').KeyForm} keyForm asks for another key if that would help */
  constructor(keyForm) {
    this.#keyForm = keyForm
  }

  /**
   * Shows how the last request of a kind has ended. Only for the key in use: the user needs no answer to an earlier one.
   * @param {'sale' | 'read' | 'creation'} kind
   * @param {RequestError | undefined} failure undefined: it has succeeded
   * @param {string} [text] what to say about it
   */
  report(kind, failure, text = failure ? describeFailure(failure) : '') {
    this.#texts[kind] = text
    this.#show()
    if (failure && isRejection(failure.code)) this.#keyForm.ask(failure.message)
  }

  /** Shows why a sale may have failed, until the list can be read: it shows what came of that. @param {RequestError} failure */
  reportUntilRead(failure) {
    this.report('sale', undefined)
    this.report('read', failure)
  }

  clear() {
    this.#texts = { sale: '', read: '', creation: '' }
    this.#show()
  }

  #show() {
    const text = [...new Set(Object.values(this.#texts))].filter(Boolean).join(' ')
    setText(this.#place, text)
  }
}

/** @param {RequestError} failure */
function describeFailure(failure) {
  if (failure.code === 'CONFLICT' || failure.code === 'PET_NOT_FOUND')
    return 'The pet has been changed or deleted in the meantime, so nothing was done. The list shows what is there now.'
  return failure.message
}
