import { byId, textOf } from '../../pages/assets/shared/dom.js'
import { failureOf, request } from '../../pages/assets/shared/api-requests.js'
import { showFilterInCommands } from './filter-in-commands.js'
import { PETS, UPDATE_PET } from './pet-operations.js'
import { PetRows } from './pet-rows.js'
import { ReadSchedule } from './read-schedule.js'

/** @typedef {import('./key-in-use.js').KeyInUse} KeyInUse */
/** @typedef {import('./pet-row.js').ListedPet} ListedPet */
/** @typedef {import('../../generated/page-operations.ts').PetsQuery['pets']} PetPage */
/** @typedef {import('../../generated/page-operations.ts').PetStatus} PetStatus */
/** What the list is asked for: so many of the newest pets of a status, or of any if it is empty. @typedef {{ status: PetStatus | '', count: number }} Asked */

/** At first, and how many more each time. */
const ROWS_AT_ONCE = 10

/** The list of the newest pets, with its filter and the buttons that sell them. */
export class PetList {
  /** null: there is none yet, so there are no rows. @type {KeyInUse | null} */
  #key = null
  #filter = byId('filter', HTMLFormElement)
  #table = byId('pet-table', HTMLTableElement)
  /** The number of pets that it shows at most: those of the largest page. */
  #maxShown = Number(this.#table.dataset.maxRows)
  #emptyText = byId('no-pets', HTMLElement)
  #moreButton = byId('more', HTMLButtonElement)
  #endText = byId('list-end', HTMLElement)

  #rowsWanted = ROWS_AT_ONCE
  #rows = new PetRows((pet) => this.#sell(pet))
  #reads = new ReadSchedule((signal) => this.#read(signal))

  constructor() {
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

  /** Begins, or goes on with another key. @param {KeyInUse} key */
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

  /** When the events begin, maybe again: earlier changes are not in any of them. */
  catchUp() {
    this.#reads.catchUp()
  }

  /** Reads the list soon, and highlights a changed pet in it. @param {string} id of the pet */
  showChange(id) {
    this.#rows.markChange(id)
    this.#reads.soon()
  }

  /**
   * Reads the list and shows it, or why it cannot be read.
   * @param {AbortSignal} signal gives it up: then nothing is shown
   * @returns {Promise<import('./read-schedule.js').Outcome>}
   */
  async #read(signal) {
    const key = this.#key
    if (!key) return 'done'
    const asked = { status: this.#status, count: this.#rowsWanted }
    const variables = { first: asked.count, filter: asked.status ? { status: [asked.status] } : null }
    const answer = request(key.token, PETS, variables, signal)
    const failure = await failureOf(answer)
    if (signal.aborted) return 'done'
    key.report('read', failure)
    // A hidden tab reads when it is shown: its events start again then.
    if (failure?.isTemporary) return document.hidden ? 'done' : 'again'
    // The list is not loading any more.
    if (failure) this.#emptyText.hidden = true
    else this.#show((await answer).pets, asked, key.canWrite)
    return 'done'
  }

  /** What the filter lets through; empty: all. */
  get #status() {
    // The choices are those of the server.
    return /** @type {PetStatus | ''} */ (textOf(this.#filter, 'status'))
  }

  /** @param {PetPage} page @param {Asked} asked @param {boolean} canSell whether the key may */
  #show(page, asked, canSell) {
    const { nodes } = page
    const { emptyText, hasMore, endText } = describeList(page, asked, this.#maxShown)
    const wasAtMore = document.activeElement === this.#moreButton
    this.#rows.show(nodes, canSell)
    this.#table.hidden = nodes.length === 0
    this.#moreButton.hidden = !hasMore
    showText(this.#emptyText, emptyText)
    showText(this.#endText, endText)
    // A hidden button loses the focus.
    if (wasAtMore && !hasMore) (endText ? this.#endText : byId('pets-title', HTMLElement)).focus()
  }

  /** Sells a pet, but only if its status is still the one that was shown. @param {ListedPet} pet */
  async #sell({ id, status }) {
    const key = this.#key
    if (!key) return
    const variables = /** @type {const} */ ({ id, input: { status: 'sold' }, expected: { status } })
    key.report('sale', await failureOf(request(key.token, UPDATE_PET, variables)))
    await this.readNow()
  }
}

/**
 * What the list says besides its rows.
 * @param {PetPage} page
 * @param {Asked} asked what the page is the answer to
 * @param {number} maxShown the number of pets that can be asked for
 * @returns {{ emptyText: string, hasMore: boolean, endText: string }} the text in place of the rows, whether more of them can be shown, and the
 * text below them; an empty text is not shown
 */
export function describeList({ nodes, pageInfo: { hasNextPage } }, { status, count }, maxShown) {
  const emptyText = status ? `No pet is ${status}.` : 'There are no pets yet.'
  const hasMore = hasNextPage && count < maxShown
  const endText = hasNextPage ? `These are the newest ${maxShown}; the APIs list all.` : 'These are all.'
  // A list that is as short as at first needs no end, nor does one that is empty.
  const hasEnd = !hasMore && nodes.length > 0 && count > ROWS_AT_ONCE
  return { emptyText: nodes.length === 0 ? emptyText : '', hasMore, endText: hasEnd ? endText : '' }
}

/** @param {HTMLElement} element @param {string} text empty: the element is hidden */
function showText(element, text) {
  element.textContent = text
  element.hidden = text === ''
}
