/**
 * Where a browser keeps no site data, reading `sessionStorage` or `localStorage` throws. There, this page keeps the data in memory; the
 * libraries use it, too. To be imported first.
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

  /** @param {string} name @param {string} value */
  setItem(name, value) {
    this.#values.set(name, value)
  }

  /** @param {string} name */
  removeItem(name) {
    this.#values.delete(name)
  }

  clear() {
    this.#values.clear()
  }

  entries() {
    return [...this.#values]
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

// What an earlier load has left for this one does not stay in the browser's history.
if (!keepsData) {
  const { session = [] } = /** @type {{ session?: [string, string][] } | null} */ (history.state) ?? {}
  for (const [name, value] of session) sessionStorage.setItem(name, value)
  history.replaceState(null, '')
}

/** Loads the page again, with what is in `sessionStorage`: from memory, it goes by the browser's history. */
export function reloadPage() {
  if (sessionStorage instanceof MemoryStorage) {
    history.replaceState({ session: sessionStorage.entries() }, '')
    // Until this page has gone, Scalar would write there, too.
    history.pushState = history.replaceState = () => undefined
  }
  location.reload()
}
