import { namedBy } from '../shared/dom.js'

/** Tabs, one of which is selected: only its panel is shown. The mouse and the keyboard select another. */
export class Tabs {
  #tabs

  /**
   * Selects the first tab.
   * @param {HTMLElement} list has a button for each tab, which names its panel by `aria-controls`
   */
  constructor(list) {
    this.#tabs = Array.from(list.querySelectorAll('button'))
    this.#selectFirst()
    for (const tab of this.#tabs) tab.addEventListener('click', () => this.#select(tab))
    list.addEventListener('keydown', (event) => {
      // Together with another key, these are the browser's: Alt-Left goes back.
      if (event.altKey || event.ctrlKey || event.metaKey) return
      const offered = this.#offered
      const index = offered.findIndex((tab) => tab === event.target)
      const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[event.key]
      if (next === undefined) return
      event.preventDefault()
      const tab = offered.at(next % offered.length)
      if (!tab) return
      this.#select(tab)
      tab.focus()
    })
  }

  /**
   * Hides some tabs, and shows the others. If the selected tab is hidden, the first of the others is selected.
   * @param {(tab: HTMLElement) => boolean} isOffered
   */
  offer(isOffered) {
    for (const tab of this.#tabs) tab.hidden = !isOffered(tab)
    if (this.#tabs.some((tab) => tab.hidden && tab.ariaSelected === 'true')) this.#selectFirst()
  }

  get #offered() {
    return this.#tabs.filter(({ hidden }) => !hidden)
  }

  #selectFirst() {
    const [first] = this.#offered
    if (first) this.#select(first)
  }

  /** @param {HTMLButtonElement} selected */
  #select(selected) {
    for (const tab of this.#tabs) {
      tab.ariaSelected = String(tab === selected)
      tab.tabIndex = tab === selected ? 0 : -1
      namedBy(tab, 'aria-controls').hidden = tab !== selected
    }
  }
}
