import { byId, textOf } from '../../pages/assets/dom.js'
import { failureOf, request, RequestError } from '../../pages/assets/graphql.js'
import { NO_KEY } from '../../pages/assets/api-key.js'
import { showFilterInCommands } from './pet-commands.js'
import { PETS, UPDATE_PET } from './pet-operations.js'
import { PetRows } from './pet-rows.js'
import { ReadSchedule } from './read-schedule.js'

/** @typedef {import('./pet-row.js').Pet} Pet */
/** @typedef {import('../../generated/page-operations.ts').PetsQuery['pets']} PetPage */
/** @typedef {import('../../generated/page-operations.ts').PetStatus} PetStatus */

/** At first, and how many more each time. */
const ROWS_AT_ONCE = 10

/** The list of the newest pets, with its filter and the buttons that sell them. */
export class PetList {
  #problems
  #filter = byId('filter', HTMLFormElement)
  #table = byId('pet-table', HTMLTableElement)
  #emptyText = byId('no-pets', HTMLElement)
  #moreButton = byId('more', HTMLButtonElement)
  #endText = byId('list-end', HTMLElement)
  #maxShown

  #key = NO_KEY
  #rowsWanted = ROWS_AT_ONCE
  #rows = new PetRows((pet) => this.#sell(pet))
  #reads = new ReadSchedule((signal) => this.#read(signal))

  /**
   * @param {import('./pet-problems.js').PetProblems} problems
   * @param {number} maxShown the number of pets that it shows at most
   */
  constructor(problems, maxShown) {
    this.#problems = problems
    this.#maxShown = maxShown
    this.#filter.addEventListener('change', () => {
      this.#rowsWanted = ROWS_AT_ONCE
      showFilterInCommands(this.#status)
      void this.readNow()
    })
    this.#moreButton.addEventListener('click', () => {
      this.#rowsWanted = Math.min(this.#rowsWanted + ROWS_AT_ONCE, this.#maxShown)
      void this.readNow()
    })
  }

  /** @param {import('../../pages/assets/api-key.js').Key} key */
  useKey(key) {
    this.#key = key
    // A browser may have kept the filter of an earlier visit.
    showFilterInCommands(this.#status)
    void this.readNow()
  }

  /** After what the user has done. @returns {Promise<void>} settles when the list has been read */
  readNow() {
    return this.#reads.now()
  }

  /** After what may have happened elsewhere. */
  readSoon() {
    this.#reads.soon()
  }

  /** Reads the list soon, and highlights a changed pet in it. @param {string} id of the pet */
  showChange(id) {
    this.#rows.markChange(id)
    this.readSoon()
  }

  /**
   * Reads the list and shows it, or why it cannot be read.
   * @param {AbortSignal} signal gives it up: then nothing is shown
   * @returns {Promise<boolean>} whether it is done: false if the same read may succeed in a moment
   */
  async #read(signal) {
    const status = this.#status
    const variables = { first: this.#rowsWanted, filter: status ? { status: [status] } : null }
    try {
      const { pets } = await request(this.#key.token, PETS, variables, signal)
      if (signal.aborted) return true
      this.#show(pets, status)
      this.#problems.report('read', undefined)
      return true
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (signal.aborted) return true
      this.#problems.report('read', error)
      // A hidden tab reads when it is shown: its events start again then.
      if (error.isTemporary) return document.hidden
      // The list is not loading any more.
      this.#emptyText.hidden = true
      return true
    }
  }

  /** What the filter lets through; empty: all. */
  get #status() {
    // The choices are those of the server.
    return /** @type {PetStatus | ''} */ (textOf(this.#filter, 'status'))
  }

  /**
   * @param {PetPage} page
   * @param {string} status that it was asked for
   */
  #show({ nodes, pageInfo: { hasNextPage } }, status) {
    const focused = document.activeElement
    this.#rows.show(nodes, this.#key.scope !== 'read')
    this.#table.hidden = nodes.length === 0
    this.#emptyText.hidden = nodes.length > 0
    this.#emptyText.textContent = status ? `No pet is ${status}.` : 'There are no pets yet.'
    this.#moreButton.hidden = !hasNextPage || this.#rowsWanted >= this.#maxShown
    this.#endText.hidden = !this.#moreButton.hidden || this.#rowsWanted === ROWS_AT_ONCE
    this.#endText.textContent = hasNextPage
      ? `These are the newest ${this.#maxShown}; the APIs list all.`
      : 'These are all.'
    // A hidden button loses the focus.
    if (focused === this.#moreButton && this.#moreButton.hidden) this.#endText.focus()
  }

  /** Sells a pet, but only if its status is still the one that was shown. @param {Pet} pet */
  async #sell({ id, status }) {
    const key = this.#key
    const sale = request(key.token, UPDATE_PET, { id, input: { status: 'sold' }, expected: { status } })
    const failure = await failureOf(sale)
    if (key === this.#key) {
      if (failure?.isUncertain) this.#problems.reportUntilRead(failure)
      else this.#problems.report('sale', failure)
    }
    await this.readNow()
  }
}
