import { byId, textOf } from '../../pages/assets/dom.js'
import { ApiError, failureOf, request, RequestError } from '../../pages/assets/graphql.js'
import { NO_KEY } from '../../pages/assets/api-key.js'

/** @typedef {{ id: string, name: string, categoryId: string, status: string | null }} Pet */
/** @typedef {{ nodes: Pet[], pageInfo: { hasNextPage: boolean } }} PetPage */

/** The newest first, so that a new pet is visible. */
const LIST = `query Pets($first: Int, $filter: PetFilter) {
  pets(first: $first, filter: $filter, orderBy: { field: ID, direction: DESC }) {
    nodes { id name categoryId status }
    pageInfo { hasNextPage }
  }
}`
const UPDATE = `mutation UpdatePet($id: ID!, $input: PetChanges!, $expected: PetChanges) {
  updatePet(id: $id, input: $input, expected: $expected) { id }
}`

/** At first, and how many more each time. */
const ROWS_AT_ONCE = 10
/** Milliseconds between two reads of the list, however many events there are. */
const READ_INTERVAL_MS = 300
/** Milliseconds after a read that has failed. */
const RETRY_MS = 1000

/** The list of the newest pets, with its filter and the buttons that sell them. */
export class PetList {
  #problems
  #rows = byId('pet-rows', HTMLTableSectionElement)
  #none = byId('no-pets', HTMLElement)
  #filter = byId('filter', HTMLFormElement)
  #more = byId('more', HTMLButtonElement)
  #end = byId('list-end', HTMLElement)
  /** The largest page that the API returns. */
  #maxShown = Number(byId('pets', HTMLElement).dataset.largestPage)

  #key = NO_KEY
  #shown = ROWS_AT_ONCE
  /** The pet of the latest event, and when that came, in milliseconds as of performance.now(). */
  #change = { id: '', time: 0 }
  /** The number of reads so far: only how the last one has ended is shown. */
  #reads = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #nextRead

  /** @param {import('./pet-problems.js').PetProblems} problems */
  constructor(problems) {
    this.#problems = problems
    this.#filter.addEventListener('change', () => {
      this.#shown = ROWS_AT_ONCE
      showFilter(this.#status)
      void this.read()
    })
    this.#more.addEventListener('click', () => {
      this.#shown = Math.min(this.#shown + ROWS_AT_ONCE, this.#maxShown)
      void this.read()
    })
  }

  /** @param {import('../../pages/assets/api-key.js').Key} key */
  useKey(key) {
    this.#key = key
    // A browser may have kept the filter of an earlier visit.
    showFilter(this.#status)
    void this.read()
  }

  /** Highlights a pet that has been changed, and reads the list once for all changes in this time. @param {string} id */
  showChange(id) {
    this.#change = { id, time: performance.now() }
    this.#readLater(READ_INTERVAL_MS)
  }

  /** Reads the list, and again later if the server cannot be reached. */
  async read() {
    const number = ++this.#reads
    const status = this.#status
    const variables = { first: this.#shown, filter: status ? { status: [status] } : null }
    try {
      const { pets } = /** @type {{ pets: PetPage }} */ (await request(this.#key.token, LIST, variables))
      if (number !== this.#reads) return
      this.#show(pets, status)
      this.#problems.report('read', undefined)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (number !== this.#reads) return
      this.#problems.report('read', error)
      // An error of the API is not retried, so the list is not loading any more.
      if (error instanceof ApiError) this.#none.hidden = true
      else this.#readLater(RETRY_MS)
    }
  }

  /** @param {number} delay in milliseconds */
  #readLater(delay) {
    if (this.#nextRead !== undefined) return
    this.#nextRead = setTimeout(() => {
      this.#nextRead = undefined
      void this.read()
    }, delay)
  }

  /** What the filter lets through; empty: all. */
  get #status() {
    return textOf(this.#filter, 'status')
  }

  /**
   * @param {PetPage} page
   * @param {string} status that it was asked for
   */
  #show({ nodes, pageInfo: { hasNextPage } }, status) {
    const focused = document.activeElement?.id ?? ''
    const places = focused.startsWith('sell-') ? this.#placesFrom(focused) : []
    this.#rows.replaceChildren(...nodes.map((pet) => this.#createRow(pet)))
    // The reader may have scrolled elsewhere meanwhile.
    const place = places.map((id) => document.getElementById(id)).find((element) => element !== null)
    place?.focus({ preventScroll: true })
    byId('pet-table', HTMLTableElement).hidden = nodes.length === 0
    this.#none.hidden = nodes.length > 0
    this.#none.textContent = status ? `No pet is ${status}.` : 'There are no pets yet.'
    this.#more.hidden = !hasNextPage || this.#shown >= this.#maxShown
    this.#end.hidden = !this.#more.hidden || this.#shown === ROWS_AT_ONCE
    this.#end.textContent = hasNextPage
      ? `These are the newest ${this.#maxShown}; the APIs list all.`
      : 'These are all.'
    // A hidden button loses the focus.
    if (focused === 'more' && this.#more.hidden) this.#end.focus()
  }

  /**
   * Where the focus goes from the button of a pet when that is gone: to those of the pets below, then above, then to the title.
   * @param {string} id of the button
   */
  #placesFrom(id) {
    const ids = Array.from(this.#rows.querySelectorAll('button'), (button) => button.id)
    const index = ids.indexOf(id)
    return [...ids.slice(index), ...ids.slice(0, index).reverse(), 'pets-title']
  }

  /** @param {Pet} pet */
  #createRow(pet) {
    const { id, name, categoryId, status } = pet
    const row = document.createElement('tr')
    if (id === this.#change.id) {
      row.classList.add('is-changed')
      // Each read makes a new row: the highlight goes on where it was, and ends.
      row.style.animationDelay = `${this.#change.time - performance.now()}ms`
    }
    const header = Object.assign(document.createElement('th'), { scope: 'row' })
    header.append(createName(name, 'pet-name'))
    const badge = document.createElement('span')
    badge.className = `pet-status ${status ?? ''}`
    badge.textContent = status ?? 'not set'
    const insertCell = (label = '') => {
      const cell = row.insertCell()
      if (label) cell.dataset.label = label
      return cell
    }
    insertCell('Id').append(id)
    row.append(header)
    insertCell('Category').append(categoryId)
    insertCell().append(badge)
    insertCell().append(status === 'sold' || this.#key.scope === 'read' ? '' : this.#createSellButton(pet))
    return row
  }

  /** @param {Pet} pet */
  #createSellButton(pet) {
    const button = document.createElement('button')
    Object.assign(button, {
      type: 'button',
      id: `sell-${pet.id}`,
      className: 'site-button',
      textContent: 'Sell',
    })
    button.setAttribute('aria-label', `Sell ${pet.name}`)
    button.addEventListener('click', () => {
      // Not disabled: it would lose the focus.
      if (button.ariaDisabled) return
      button.ariaDisabled = 'true'
      void this.#sell(pet).finally(() => (button.ariaDisabled = null))
    })
    return button
  }

  /** Sells a pet, but only if its status is still the one that was shown. @param {Pet} pet */
  async #sell({ id, status }) {
    const key = this.#key
    const variables = { id, input: { status: 'sold' }, expected: { status } }
    const failure = await failureOf(request(key.token, UPDATE, variables))
    if (key === this.#key) {
      const isAnswered = failure === undefined || failure instanceof ApiError
      this.#problems.report('sale', isAnswered ? failure : undefined)
      // Without an answer, the list shows what came of it, as soon as it can be read.
      if (!isAnswered) this.#problems.report('read', failure)
    }
    await this.read()
  }
}

/**
 * A name in its own writing direction; the style sheet shortens a long one, which a tooltip shows in full.
 * @param {string} name
 * @param {string} className
 */
export const createName = (name, className) =>
  Object.assign(document.createElement('bdi'), { className, textContent: name, title: name })

/** The commands beside the list have the same filter. @param {string} status */
function showFilter(status) {
  byId('rest-filter', HTMLElement).textContent = status && `&status=${status}`
  byId('graphql-filter', HTMLElement).textContent = status && `, filter: {status: [${status}]}`
}
