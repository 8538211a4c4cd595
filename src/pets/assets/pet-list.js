import { byId, textOf } from '../../pages/assets/dom.js'
import { failureOf, request, RequestError } from '../../pages/assets/graphql.js'
import { NO_KEY } from '../../pages/assets/api-key.js'
import { showFilterInCommands } from './pet-commands.js'
import { PETS, UPDATE_PET } from './pet-operations.js'
import { createRow, isSellButton } from './pet-row.js'
import { ReadSchedule } from './read-schedule.js'

/** @typedef {import('./pet-row.js').Pet} Pet */
/** @typedef {import('../../generated/page-operations.ts').PetsQuery['pets']} PetPage */
/** @typedef {import('../../generated/page-operations.ts').PetStatus} PetStatus */

/** At first, and how many more each time. */
const ROWS_AT_ONCE = 10

/** The list of the newest pets, with its filter and the buttons that sell them. */
export class PetList {
  #problems
  #body = byId('pet-rows', HTMLTableSectionElement)
  #none = byId('no-pets', HTMLElement)
  #filter = byId('filter', HTMLFormElement)
  #more = byId('more', HTMLButtonElement)
  #end = byId('list-end', HTMLElement)
  #maxShown

  #key = NO_KEY
  #shown = ROWS_AT_ONCE
  /** The rows shown, by the JSON of what they show. @type {Map<string, HTMLTableRowElement>} */
  #rows = new Map()
  /** The pet of the latest event, and when the event came, in milliseconds of performance.now(). */
  #change = { id: '', time: 0 }
  #reads = new ReadSchedule((signal) => this.#read(signal))

  /**
   * @param {import('./pet-problems.js').PetProblems} problems
   * @param {number} maxShown the number of pets that it shows at most
   */
  constructor(problems, maxShown) {
    this.#problems = problems
    this.#maxShown = maxShown
    this.#filter.addEventListener('change', () => {
      this.#shown = ROWS_AT_ONCE
      showFilterInCommands(this.#status)
      void this.readNow()
    })
    this.#more.addEventListener('click', () => {
      this.#shown = Math.min(this.#shown + ROWS_AT_ONCE, this.#maxShown)
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
    this.#change = { id, time: performance.now() }
    this.readSoon()
  }

  /**
   * Reads the list and shows it, or why it cannot be read.
   * @param {AbortSignal} signal gives it up: then nothing is shown
   * @returns {Promise<boolean>} whether it is done: false if the same read may succeed in a moment
   */
  async #read(signal) {
    const status = this.#status
    const variables = { first: this.#shown, filter: status ? { status: [status] } : null }
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
      if (error.isTemporary) return false
      // The list is not loading any more.
      this.#none.hidden = true
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
    const places = isSellButton(focused) ? this.#placesFrom(focused.id) : []
    this.#showRows(nodes)
    if (!focused?.isConnected) {
      const place = places.map((id) => document.getElementById(id)).find((element) => element !== null)
      // The reader may have scrolled elsewhere meanwhile.
      place?.focus({ preventScroll: true })
    }
    byId('pet-table', HTMLTableElement).hidden = nodes.length === 0
    this.#none.hidden = nodes.length > 0
    this.#none.textContent = status ? `No pet is ${status}.` : 'There are no pets yet.'
    this.#more.hidden = !hasNextPage || this.#shown >= this.#maxShown
    this.#end.hidden = !this.#more.hidden || this.#shown === ROWS_AT_ONCE
    this.#end.textContent = hasNextPage
      ? `These are the newest ${this.#maxShown}; the APIs list all.`
      : 'These are all.'
    // A hidden button loses the focus.
    if (focused === this.#more && this.#more.hidden) this.#end.focus()
  }

  /**
   * Where the focus goes from the button of a pet when that is gone: to those of the pets below, then above, then to the title.
   * @param {string} id of the button
   */
  #placesFrom(id) {
    const ids = Array.from(this.#body.querySelectorAll('button'), (button) => button.id)
    const index = ids.indexOf(id)
    return [...ids.slice(index), ...ids.slice(0, index).reverse(), 'pets-title']
  }

  /**
   * Shows the rows of pets. The row of an unchanged pet is not touched, so that it keeps the focus, a selection, a click that has begun, and
   * the state of its button.
   * @param {Pet[]} pets
   */
  #showRows(pets) {
    const earlier = this.#rows
    this.#rows = new Map()
    for (const pet of pets) {
      const canSell = pet.status !== 'sold' && this.#key.scope !== 'read'
      const content = JSON.stringify([pet, canSell])
      const row = earlier.get(content) ?? createRow(pet, canSell ? () => this.#sell(pet) : null)
      if (pet.id === this.#change.id) this.#highlight(row)
      this.#rows.set(content, row)
    }
    for (const [content, row] of earlier) if (!this.#rows.has(content)) row.remove()
    for (const [index, row] of [...this.#rows.values()].entries()) {
      const current = this.#body.rows[index]
      if (current !== row) this.#body.insertBefore(row, current ?? null)
    }
  }

  /** @param {HTMLTableRowElement} row of the pet of the latest event */
  #highlight(row) {
    if (row.classList.contains('is-changed')) return
    row.classList.add('is-changed')
    // In a row that is made again, the highlight goes on where it was, and ends.
    row.style.animationDelay = `${this.#change.time - performance.now()}ms`
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
