/**
 * An element of the page, which the server has written. Tests of `src/pages` and of each resource find the ids in the scripts, and look for
 * them in the HTML of the same folder.
 * @template {HTMLElement} Element
 * @param {string} id
 * @param {new () => Element} type the class that the element has
 * @returns {Element}
 */
export function byId(id, type) {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`There is no ${type.name} with the id ${id}.`)
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  // A screen reader would read the same text again.
  if (element.textContent !== text) element.textContent = text
}

/**
 * The text of a control.
 * @param {HTMLFormElement} form
 * @param {string} name of the control
 * @returns {string} without spaces around it
 */
export function textOf(form, name) {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** @typedef {import('../settings.ts').PageName} PageName */

/**
 * What the server has written into a page for its script.
 * @template {PageName} Page
 * @param {Page} page the name of the page
 * @returns {import('../settings.ts').PageSettings<Page>}
 * @throws {Error} if this is another page
 */
export function readSettings(page) {
  /** @type {import('../settings.ts').PageSettings<Page> & { page: PageName }} */
  const settings = JSON.parse(byId('settings', HTMLScriptElement).text)
  if (settings.page !== page) throw new Error(`This is the page ${settings.page}, not ${page}.`)
  return settings
}
