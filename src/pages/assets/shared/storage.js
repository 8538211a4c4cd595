/**
 * The storage of a page. Where a browser keeps no site data, reading `sessionStorage` or `localStorage` throws: there, this file puts
 * memory in their place, which the libraries use, too. Each script that uses one of them imports this file.
 */

class MemoryStorage {
  /** @type {Map<string, string>} */
  #values = new Map()

  get length() {
    return this.#values.size
  }

  /** @param {number} index */
  key(index) {
    return [...this.#values.keys()][index] ?? null
  }

  /** @param {string} name */
  getItem(name) {
    return this.#values.get(name) ?? null
  }

  /**
   * @param {string} name
   * @param {string | number | boolean} value
   */
  setItem(name, value) {
    // As a browser does, since libraries may pass other values.
    this.#values.set(name, String(value))
  }

  /** @param {string} name */
  removeItem(name) {
    this.#values.delete(name)
  }

  clear() {
    this.#values.clear()
  }
}

for (const name of /** @type {const} */ (['sessionStorage', 'localStorage'])) {
  try {
    window[name].getItem('')
  } catch {
    Object.defineProperty(window, name, { value: new MemoryStorage(), configurable: true })
  }
}

/** Whether `sessionStorage` lasts as long as the tab. */
export const keepsData = !(sessionStorage instanceof MemoryStorage)

// What `reloadPage` has left in the browser's history for this load does not stay in the history.
if (!keepsData) {
  const { session = [] } = /** @type {{ session?: [string, string][] } | null} */ (history.state) ?? {}
  for (const [name, value] of session) sessionStorage.setItem(name, value)
  history.replaceState(null, '')
}

/**
 * The names of all values. Object.keys finds none in a MemoryStorage.
 * @param {Storage} storage
 */
export const namesIn = (storage) =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')

/** Lets `localStorage` end with the session of the tab. */
export function limitToSession() {
  Object.defineProperty(window, 'localStorage', { value: sessionStorage })
}

/** Loads the page again, with what is in `sessionStorage`: from memory, it goes by the browser's history. */
export function reloadPage() {
  if (!keepsData) {
    const session = namesIn(sessionStorage).map((name) => [name, sessionStorage.getItem(name)])
    history.replaceState({ session }, '')
    // Until this page has gone, Scalar would write over that state.
    history.pushState = history.replaceState = () => undefined
  }
  location.reload()
}
