import { byId, setText } from '../../pages/assets/shared/dom.js'

/** @typedef {import('../../pages/assets/shared/api-requests.js').RequestError} RequestError */
/** @typedef {'sale' | 'read' | 'creation'} Kind */
/** What is shown of a failure: a text, and fields. @typedef {{ text: string, problems: RequestError['problems'] }} Shown */

/** Says why the last read of the list, the last sale, and the last creation have failed, and marks the fields that are not valid. */
export class PetProblems {
  #keyForm
  #place = byId('pet-problem', HTMLElement)
  #form = byId('new-pet', HTMLFormElement)
  /** By the kind of request that ends each. @type {{ [Name in Kind]?: Shown | undefined }} */
  #shown = {}

  /** @param {Pick<import('../../pages/assets/key/key-form.js').KeyForm, 'ask'>} keyForm asks for another key if that would help */
  constructor(keyForm) {
    this.#keyForm = keyForm
  }

  /**
   * Shows how a request has ended. A failure is shown until the next request of its kind ends; that of a sale that may have succeeded, until the
   * next read ends, since the list shows what has come of it.
   * @param {Kind} kind
   * @param {RequestError | undefined} failure undefined: it has succeeded
   * @param {(failure: RequestError) => string} [describe] what to say about the failure
   */
  report(kind, failure, describe = describeFailure) {
    this.#shown[kind] = undefined
    if (failure) {
      const until = kind === 'sale' && failure.isUncertain ? 'read' : kind
      this.#shown[until] = { text: describe(failure), problems: failure.problems }
    }
    this.#show()
    if (failure?.isRejection) this.#keyForm.ask(failure.message)
  }

  clear() {
    this.#shown = {}
    this.#show()
  }

  #show() {
    const { sale, read, creation } = this.#shown
    const texts = [sale, read, creation].flatMap((shown) => shown?.text ?? [])
    setText(this.#place, [...new Set(texts)].join(' '))
    for (const control of this.#form.querySelectorAll('input')) {
      const isInvalid = creation?.problems.some(({ argument }) => argument === `input.${control.name}`)
      control.setAttribute('aria-invalid', String(isInvalid ?? false))
    }
  }
}

/** @param {RequestError} failure */
function describeFailure(failure) {
  if (failure.code === 'CONFLICT' || failure.code === 'PET_NOT_FOUND')
    return 'The pet has been changed or deleted in the meantime, so nothing was done. The list shows what is there now.'
  return failure.message
}
