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
}

for (const name of /** @type {const} */ (['sessionStorage', 'localStorage'])) {
  try {
    window[name].getItem('')
  } catch {
    Object.defineProperty(window, name, { value: new MemoryStorage(), configurable: true })
  }
}
