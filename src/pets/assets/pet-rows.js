import { byId, findById } from '../../pages/assets/shared/dom.js'
import { createRow } from './pet-row.js'

/** @typedef {import('./pet-row.js').ListedPet} ListedPet */

/**
 * The rows of the list. That of an unchanged pet is not touched, so that it keeps the focus, a selection, a click that has begun, and the
 * state of its button.
 */
export class PetRows {
  #sell
  #body = byId('pet-rows', HTMLTableSectionElement)
  #title = byId('pets-title', HTMLElement)
  /** By the JSON of what they show. @type {Map<string, HTMLTableRowElement>} */
  #rows = new Map()
  /** The pet of the latest event, and when the event came, in milliseconds of performance.now(). */
  #change = { id: '', time: 0 }

  /** @param {(pet: ListedPet) => Promise<void>} sell what the button in a row does */
  constructor(sell) {
    this.#sell = sell
  }

  /** Highlights a changed pet when it is shown next. @param {string} id of the pet */
  markChange(id) {
    this.#change = { id, time: performance.now() }
  }

  /**
   * Shows the rows of pets. When the button that has the focus is gone, the focus goes to those of the pets below, then above, then to the
   * title.
   * @param {ListedPet[]} pets
   * @param {boolean} canSell whether the key may
   */
  show(pets, canSell) {
    const focused = document.activeElement
    const buttons = Array.from(this.#body.querySelectorAll('button'))
    const index = buttons.findIndex((button) => button === focused)
    this.#replace(pets, canSell)
    if (index < 0 || focused?.isConnected) return
    const next = [...buttons.slice(index), ...buttons.slice(0, index).reverse()]
      .map(({ id }) => findById(id))
      .find((button) => button !== null)
    const place = next ?? this.#title
    // The reader may have scrolled elsewhere meanwhile.
    place.focus({ preventScroll: true })
  }

  /** @param {ListedPet[]} pets @param {boolean} canSell */
  #replace(pets, canSell) {
    const earlier = this.#rows
    this.#rows = new Map()
    for (const pet of pets) {
      const hasButton = canSell && pet.status !== 'sold'
      const content = JSON.stringify([pet, hasButton])
      const row = earlier.get(content) ?? createRow(pet, hasButton ? () => this.#sell(pet) : null)
      if (pet.id === this.#change.id) this.#highlight(row)
      this.#rows.set(content, row)
    }
    for (const [content, row] of earlier) if (!this.#rows.has(content)) row.remove()
    for (const [index, row] of [...this.#rows.values()].entries()) {
      const current = this.#body.children[index]
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
}
