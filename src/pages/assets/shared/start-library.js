/**
 * Starts the library of a page, whose script runs after the page's own and before DOMContentLoaded. Until the library shows something, its
 * element says that the content is loading, or could not be loaded.
 * @param {HTMLElement} element
 * @param {string} content what the library shows, as the subject of a sentence
 * @param {() => Promise<void>} start starts the library, once its script has run
 */
export function startLibrary(element, content, start) {
  const text = document.createElement('p')
  Object.assign(text, { className: 'site-loading', textContent: 'Loading…' })
  element.replaceChildren(text)
  addEventListener('DOMContentLoaded', () => {
    void start().catch((/** @type {unknown} */ error) => {
      element.textContent = `${content} could not be loaded. Reload the page.`
      // For the console: it may be a fault of the page.
      throw error
    })
  })
}
