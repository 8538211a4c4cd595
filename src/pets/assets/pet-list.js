import { byId, textOf } from '../../pages/assets/dom.js'
import { failureOf, request } from '../../pages/assets/graphql.js'
import { showFilterInCommands } from './filter-in-commands.js'
import { PETS, UPDATE_PET } from './pet-operations.js'
import { PetRows } from './pet-rows.js'
import { ReadSchedule } from './read-schedule.js'

/** @typedef {import('./key-in-use.js').KeyInUse} KeyInUse */
/** @typedef {import('./pet-row.js').ListedPet} ListedPet */
/** @typedef {import('../../generated/page-operations.ts').PetStatus} PetStatus */

/** At first, and how many more each time. */
const ROWS_AT_ONCE = 10

/** The list of the newest pets, with its filter and the buttons that sell them. */
export class PetList {
  #inUse
  #maxShown
  #filter = byId('filter', HTMLFormElement)
  #table = byId('pet-table', HTMLTableElement)
  #emptyText = byId('no-pets', HTMLElement)
  #moreButton = byId('more', HTMLButtonElement)
  #endText = byId('list-end', HTMLElement)

  #rowsWanted = ROWS_AT_ONCE
  #rows = new PetRows((pet) => this.#sell(pet))
  #reads = new ReadSchedule((signal) => this.#read(signal))

  /**
   * @param {KeyInUse} inUse
   * @param {number} maxShown the number of pets that it shows at most
   */
  constructor(inUse, maxShown) {
    this.#inUse = inUse
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

  /** Goes on with another key. @param {KeyInUse} inUse */
  useKey(inUse) {
    this.#inUse = inUse
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
    const inUse = this.#inUse
    const [status, rowsWanted] = [this.#status, this.#rowsWanted]
    const variables = { first: rowsWanted, filter: status ? { status: [status] } : null }
    const answer = request(inUse.token, PETS, variables, signal)
    const failure = await failureOf(answer)
    const data = failure ? null : await answer
    if (signal.aborted) return true
    inUse.report('read', failure)
    // A hidden tab reads when it is shown: its events start again then.
    if (failure?.isTemporary) return document.hidden
    if (data) this.#show(data.pets, status, rowsWanted)
    // The list is not loading any more.
    else this.#emptyText.hidden = true
    return true
  }

  /** What the filter lets through; empty: all. */
  get #status() {
    // The choices are those of the server.
    return /** @type {PetStatus | ''} */ (textOf(this.#filter, 'status'))
  }

  /**
   * @param {import('../../generated/page-operations.ts').PetsQuery['pets']} page
   * @param {string} status that it was asked for
   * @param {number} rowsWanted how many pets it was asked for
   */
  #show({ nodes, pageInfo: { hasNextPage } }, status, rowsWanted) {
    const wasAtMore = document.activeElement === this.#moreButton
    const { emptyText, hasMore, endText } = describeRest({
      isEmpty: nodes.length === 0,
      hasNextPage,
      status,
      rowsWanted,
      maxShown: this.#maxShown,
    })
    this.#rows.show(nodes, this.#inUse.canWrite)
    this.#table.hidden = nodes.length === 0
    this.#moreButton.hidden = !hasMore
    showText(this.#emptyText, emptyText)
    showText(this.#endText, endText)
    // A hidden button loses the focus.
    if (wasAtMore && !hasMore) this.#endText.focus()
  }

  /** Sells a pet, but only if its status is still the one that was shown. @param {ListedPet} pet */
  async #sell({ id, status }) {
    const inUse = this.#inUse
    const variables = /** @type {const} */ ({ id, input: { status: 'sold' }, expected: { status } })
    inUse.report('sale', await failureOf(request(inUse.token, UPDATE_PET, variables)))
    await this.readNow()
  }
}

/**
 * What the list says besides its rows.
 * @param {object} list
 * @param {boolean} list.isEmpty
 * @param {boolean} list.hasNextPage whether there are more pets than it was asked for
 * @param {string} list.status that it was asked for; empty: any
 * @param {number} list.rowsWanted how many pets it was asked for
 * @param {number} list.maxShown how many it can be asked for
 * @returns {{ emptyText: string, hasMore: boolean, endText: string }} the texts in place of the rows and below them, each empty if there is
 * nothing to say, and whether more rows can be shown
 */
export function describeRest({ isEmpty, hasNextPage, status, rowsWanted, maxShown }) {
  const hasMore = hasNextPage && rowsWanted < maxShown
  const emptyText = status ? `No pet is ${status}.` : 'There are no pets yet.'
  const endText = hasNextPage ? `These are the newest ${maxShown}; the APIs list all.` : 'These are all.'
  // Who has not asked for more can see that these are all.
  const hasEnd = !hasMore && rowsWanted > ROWS_AT_ONCE
  return { emptyText: isEmpty ? emptyText : '', hasMore, endText: hasEnd ? endText : '' }
}

/** @param {HTMLElement} element @param {string} text empty: the element is hidden */
function showText(element, text) {
  element.textContent = text
  element.hidden = text === ''
}
